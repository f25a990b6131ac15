#pragma once
// What answers of heliolite bound share: the unit in which they count, and curves of accesses by buffer size as tables,
// CSV files, JSON and SVG pictures.
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "cli/ui/json.h"
#include "engine/base/integers.h"
#include "engine/base/named.h"
#include "engine/base/result.h"
#include "engine/base/text.h"
#include "engine/base/types.h"
#include "engine/bounds/curve/orojenesis.h"
#include "engine/inputs/read_options.h"
#include "workloads/word_bits.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// --word-size TENSOR=SIZE of the kinds of bound.

// Words that an element takes, where they need not be whole.
inline constexpr double kLeastWordSize = 1.0 / 64, kMostWordSize = 64;

// Reads "A=2" into sizes[v] of tensor A and of every other access of the array that A stands for. Complains about an
// unknown tensor, and about a size that is not from `low` to `high`: `allowed` then follows "must be TENSOR=".
template <class Number>
void read_word_size(const std::string& text, const Workload& workload, Number low, Number high,
                    std::string_view allowed, std::span<Number> sizes, Diagnostics& errors) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const std::string number = equals == std::string::npos ? "" : text.substr(equals + 1);
  const std::optional<int> tensor = workload.find_tensor(name);
  if (!tensor) {
    const std::vector<std::string> names = names_of(workload.tensors);
    errors.push_back({"", 0, "--word-size",
                      fmt::format("unknown tensor '{}' of {}{}; tensors: {}", name, workload.name,
                                  did_you_mean(name, names), join(names))});
    return;
  }
  const std::optional<Number> size = parse_number<Number>(number);
  if (!size || !(*size >= low && *size <= high)) {
    errors.push_back({"", 0, "--word-size", fmt::format("'{}' must be TENSOR={}, like {}=2", text, allowed, name)});
    return;
  }
  // An Einsum may read one array several times.
  const auto array = [&](int v) { return workload.tensors[v].access_of.value_or(v); };
  for (int v = 0; v < static_cast<int>(workload.tensors.size()); ++v)
    if (array(v) == array(*tensor)) sizes[v] = *size;
}

// What all kinds of bound are asked, as it was given.
struct BoundQuestion {
  std::string architecture, workload, layer;
  ReadOptions reading;                  // how both are read
  std::string csv;                      // file to write
  std::vector<std::string> written;     // the values of --buffer
  std::vector<u64> buffers;             // what they mean, in the answer's unit
  std::vector<std::string> word_sizes;  // "A=2"
  std::optional<double> word_bytes;     // bytes in a word of any tensor
  WordUnit unit{};                      // of the answer, where --word-size A=2 does not make it bytes

  BoundQuestion& question() { return *this; }
};

// Bytes in a unit, if they are known: words have those of --word-size.
std::optional<double> unit_bytes(const BoundQuestion& question, const WordUnit& unit);

// The workloads of an answer: `layer` if there is one, else those of all layers.
std::vector<const Workload*> asked_about(const Network& network, const Workload* layer);

// Finds the unit of an answer about these workloads and reads --buffer in it: plain numbers are units, "64KiB" bytes.
// Errors: those of word_unit(), where tensors without a size have words of the machine's outermost level; --word-size
// where sizes are stated; capacities that are too large.
Diagnostics set_unit(BoundQuestion& question, std::span<const Workload* const> workloads,
                     const std::optional<Architecture>& architecture);

// A curve, drawn as a falling staircase.
struct PictureCurve {
  std::string name;
  std::vector<CurveStep> steps;
};

// A mapping: the buffer that it needs and its accesses.
struct PictureMark {
  std::string name;
  CurveStep at;
};

// A capacity of the machine, drawn as a vertical line.
struct PictureWall {
  std::string name;
  u64 buffer = 0;
};

// All that a picture shows.
struct CurvePicture {
  std::string title;
  std::string unit = "words";  // of both axes
  std::vector<PictureCurve> curves;
  std::vector<PictureMark> marks;
  std::vector<CurveStep> cloud;  // many points without names
  std::vector<PictureWall> walls;
  u64 minimum = 0;  // accesses that every execution needs, drawn as a horizontal line
};

// The picture as an SVG document. Buffers of 0 stand at the left edge.
std::string curve_svg(const CurvePicture& picture);

// Indices of at most `most` of the points, first and last included, spread evenly.
std::vector<std::size_t> thinned(std::size_t points, std::size_t most);

// The points as [{"buffer_words", "accesses"}, ..].
Json curve_json(const std::vector<CurveStep>& points);

// "MACs/word", "MACs/byte" or "MACs/bit".
std::string macs_per(const std::string& unit);

// A tile as text, its extents above 1: "M32 N64"; "-" if there are none. `names`: of the dimensions.
std::string tile_text(const Extents& tile, const std::vector<std::string>& names);
std::string tile_text(const Extents& tile, const Workload& workload);

// Mappings of a machine drawn at random against the curve that no mapping can beat.

// What the mappings hold inside the outermost boundary and move across it.
struct MappingCloud {
  std::string level;              // whose outer boundary it is
  u64 drawn = 0;                  // with those that do not fit
  std::vector<CurveStep> points;  // one for each mapping
  std::vector<double> distances;  // ascending: words moved over the least of mappings that hold no more
};

// `mappings` legal ones. Errors: the machine has one level, or its constraints do not suit the workload.
Result<MappingCloud> mapping_cloud(const NestedCurve& curve, const Workload& workload, const Architecture& architecture,
                                   const WordUnit& unit, u64 mappings, u64 seed);

// As text for people, and docs/json.md: `sample`.
std::string cloud_text(const MappingCloud& cloud);
Json cloud_json(const MappingCloud& cloud);

}  // namespace heliolite::cli
