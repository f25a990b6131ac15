#pragma once
// heliolite bound --kind orojenesis: the least accesses for every buffer size, of layers, of networks fused or not, and
// how to divide a chip by them.
#include <optional>
#include <string>
#include <vector>

#include "cli/bound/bound_curves.h"
#include "cli/ui/command.h"
#include "cli/ui/json.h"
#include "cli/ui/output.h"
#include "engine/base/types.h"
#include "engine/bounds/curve/movement_distance.h"
#include "engine/bounds/curve/orojenesis.h"
#include "engine/bounds/fusion/cut.h"
#include "engine/bounds/lower_bounds.h"
#include "engine/inputs/read_options.h"
#include "workloads/network.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// The options as they were given; texts are the names of enumerators.
struct OrojenesisArguments : BoundQuestion {
  bool imperfect = false;  // also tiles that do not divide the sizes
  bool nested = false;     // any number of levels instead of one buffer
  bool fuse = false;       // the whole network, with fused layers
  bool map = false;        // also what the mapper's mapping holds and moves
  bool all = false;        // all points in the table
  std::string counts = "distinct";
  std::string partial_sums = "read_back";
  std::string softmax = "incremental", pairs = "all", execution = "sequential";
  bool perfect_blocks = false, whole_weights = false, stream_weights = false;
  std::string chip;  // file or keys of a chip to divide
  u64 sample = 0;    // random mappings of the machine to show; 0: none
  u64 seed = 1;      // seed of these mappings
  std::string svg;
};

// Whether the curve of a layer is that of any levels of storage.
inline bool of_any_levels(const OrojenesisArguments& arguments) { return arguments.nested || arguments.sample > 0; }

// Adds the options that only this kind has to the command.
void add_orojenesis_options(const Command& command, OrojenesisArguments& arguments);

// Answers and returns the exit code.
int run_orojenesis(OrojenesisArguments arguments, const Output& output);

// One layer's curve, of one buffer or of any number of levels. A point holds up to the next one.
struct LayerCurve {
  std::vector<CurveStep> points;
  std::vector<std::string> by;                // [point]: the bound that says most there: "orojenesis", "hbl", ..
  std::vector<std::vector<std::string>> how;  // [point]: cells of the table that say how it is reached
  std::vector<std::string> headings;          // of these cells
};

// The curve, raised to the bounds of all schedules (engine/bounds/lower_bounds.h).
LayerCurve raised(const LayerCurve& curve, const ScheduleBounds& schedules, u64 largest);

// The answer for one layer.
struct LayerAnswer {
  Workload workload;
  OrojenesisOptions options;
  LayerCurve curve;
  std::optional<ScheduleBounds> schedules;  // that the curve holds against too, if it is a bound
  std::vector<CurveStep> tilings;           // the best known with any tiles, if asked for; falling
  std::vector<LevelBound> levels;           // of the machine, if one was given
  std::vector<LevelDistance> distances;     // of the mapper's answer, if asked for
  std::optional<MappingCloud> cloud;        // random mappings, if asked for
  std::string unit;                         // of buffers and accesses: "words", "bytes" or "bits"

  // Accesses that every execution needs.
  u64 minimum() const { return algorithmic_minimum(workload, options); }
  u64 least() const { return curve.points.back().accesses; }  // accesses of a large buffer
  // Whether no execution lies below the curve.
  bool is_bound() const { return options.words == WordCount::Distinct; }
  u64 effectual() const { return curve.points.back().buffer; }  // no larger buffer helps
  u64 operands() const { return operand_words(workload, options); }
  // What no mapping moves less than with a buffer of exactly this size, and the bound that says so.
  struct Least {
    u64 accesses = 0;
    std::string by;
    std::size_t point = 0;  // of the curve
  };
  Least least_at(u64 buffer) const;
  // The best tiling known for the buffer; none where no iteration fits.
  std::optional<u64> tiling_at(u64 buffer) const;
};

// The answer as text, as JSON (docs/json.md) and as a picture.
std::string layer_text(const LayerAnswer& answer, const OrojenesisArguments& arguments);
Json layer_json(const LayerAnswer& answer, const OrojenesisArguments& arguments);

// The curve as comma-separated text: "buffer_words,accesses,by,best_tiling" and a line for each point, which holds up
// to the next one; the layer's name before it unless that is "".
std::string layer_csv_head(const std::string& unit);
std::string layer_csv(const LayerAnswer& answer, const std::string& layer);
CurvePicture layer_picture(const LayerAnswer& answer);

// heliolite bound --kind orojenesis --fuse: whole networks, fused or not, by buffer size.

// The options of fusion that the arguments ask for. Errors: names that an option does not know.
SegmentOptions segment_options(const OrojenesisArguments& arguments);

// Answers for the network and returns the exit code.
int run_fused(const OrojenesisArguments& arguments, const Network& network, const Output& output);

// heliolite bound --chip: how to divide a chip between a buffer and compute units, from curves of accesses.

// The steps of a network's accesses, with the best cuts or with nothing fused.
std::vector<CurveStep> network_steps(const SegmentedNetwork& network, bool fused);

// Answers for the layer or network of the arguments, whose `chip` is given, and returns the exit code.
int run_chip(const OrojenesisArguments& arguments, const Output& output);

}  // namespace heliolite::cli
