// The loops of one level in a mapping's file, and how names that nothing has are complained about.
#include "engine/model/mapping_yaml.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/named.h"
#include "engine/base/text.h"

namespace heliolite {

std::string text(const ListedFactor& f) {
  return f.end == f.residual ? fmt::format("{} {}", f.where, f.end)
                             : fmt::format("{} [{}, {}]", f.where, f.end, f.residual);
}

std::string product_complaint(const Dimension& dimension, const std::vector<ListedFactor>& factors) {
  u64 n = 1;
  bool perfect = true;
  std::vector<std::string> parts;
  for (const ListedFactor& f : factors) {
    const u64 whole = saturating_product(n - 1, f.end);
    n = whole > ~u64{0} - f.residual ? ~u64{0} : whole + f.residual;
    perfect = perfect && f.end == f.residual;
    parts.push_back(text(f));
  }
  if (n == dimension.size) return "";
  if (factors.empty())
    return fmt::format("dimension {} has no factors, they must multiply to its size {}", dimension.name,
                       dimension.size);
  std::string message = fmt::format("the factors of dimension {} {} {}, its size is {} ({})", dimension.name,
                                    perfect ? "multiply to" : "count to", n, dimension.size, fmt::join(parts, " * "));
  if (perfect && n < dimension.size && dimension.size % n == 0)
    message += fmt::format("; a factor of {} is missing", dimension.size / n);
  return message;
}

namespace {

Shape tensors() { return shape::either({shape::text("^[aA][lL][lL]$"), shape::list(shape::text()), shape::nothing()}); }

// [K: 4, C: [3, 2]], or {K: 4, C: [3, 2]}.
Shape loops() {
  const Shape count = shape::integer(1, static_cast<i64>(kMaxDimensionSize));
  const Shape loop = shape::names(shape::either({count, shape::list(count)}));
  return shape::either({loop, shape::list(loop), shape::nothing()});
}

Shape levels() { return shape::list(shape::map(mapping_level_fields())); }

}  // namespace

Shape mapping_document_shape() { return shape::either({shape::map(mapping_file_fields()), levels()}); }

const FieldTable& mapping_file_fields() {
  static const FieldTable table{"mapping file",
                                "A mapping of one workload onto one machine.",
                                {required({"mapping", levels(), "The levels of the machine, outermost first."}),
                                 {"workload", shape::any(), "The workload, for readers."},
                                 {"architecture", shape::any(), "The machine, for readers."},
                                 {"unit", shape::text(), "The machine's compute unit that the levels lead to.", "",
                                  "the one that can run the workload"}}};
  return table;
}

const FieldTable& mapping_level_fields() {
  static const FieldTable table{
      "level of a mapping",
      "A level, or a part of one whose tensors have tiles of their own.",
      {required({"level", shape::text(), "Name of the level."}),
       {"keep", tensors(), "Tensors that it keeps: all, or a list of names.", "", "as the machine says"},
       {"temporal", loops(),
        "Temporal loops, outermost first, each a dimension and its factor; [4, 2] is 4 and of the last tile 2."},
       {"spatial", shape::map(mapping_fanout_fields()), "Unrolling onto the fan-out below."}}};
  return table;
}

const FieldTable& mapping_fanout_fields() {
  static const FieldTable table{"unrolling",
                                "Loops across the instances of the level below.",
                                {{"x", loops(), "Along X: dimensions and factors."},
                                 {"y", loops(), "Along Y: dimensions and factors."},
                                 {kPeerChannel.excludes, tensors(),
                                  "Tensors that take no words from neighbours here: all, or a list of names."}}};
  return table;
}

namespace {

class LoopReader {
 public:
  LoopReader(const Workload& workload, Diagnostics& errors) : workload_(workload), errors_(errors) {}

  std::vector<ListedFactor> run(const YamlNode& node, const std::string& where) {
    std::vector<ListedFactor> factors;
    if (node.is_null()) return factors;
    if (node.is_map()) {
      read_pairs(node, where, factors);
    } else if (node.is_sequence()) {
      for (std::size_t i = 0; i < node.size(); ++i) {
        if (!node.at(i).is_map()) complain(node.at(i), "must be a dimension and its factor, e.g. K: 4");
        else read_pairs(node.at(i), where, factors);
      }
    } else {
      complain(node, "must be a list of loops, outermost first, e.g. [K: 4, C: 2]");
    }
    return factors;
  }

 private:
  void read_pairs(const YamlNode& map, const std::string& where, std::vector<ListedFactor>& factors) {
    for (const std::string& key : map.keys()) {
      const YamlNode value = *map.find(key);
      const auto dimension = workload_.find_dimension(key);
      if (!dimension) {
        errors_.push_back(unknown_name(value, "dimension", key, names_of(workload_.dimensions)));
        continue;
      }
      ListedFactor f{*dimension, 1, 1, where};
      if (!read_factor(value, f)) continue;
      const auto same = [&](const ListedFactor& other) { return other.dimension == f.dimension; };
      if (std::any_of(factors.begin(), factors.end(), same))
        complain(value, fmt::format("{} has two loops at {}; multiply them into one", key, where));
      factors.push_back(std::move(f));
    }
  }

  bool read_factor(const YamlNode& value, ListedFactor& f) {
    const auto number = [&](const YamlNode& node) -> u64 {
      const auto n = node.as_integer();
      if (!n || *n < 1 || *n > static_cast<i64>(kMaxDimensionSize)) {
        complain(node, fmt::format("factor = {}, must be an integer from 1 to {}", shown(node), kMaxDimensionSize));
        return 0;
      }
      return static_cast<u64>(*n);
    };
    if (!value.is_sequence()) return (f.residual = f.end = number(value)) != 0;
    if (value.size() != 2) {
      complain(value, "must be a factor, or [factor, factor of the last tile]");
      return false;
    }
    f.end = number(value.at(0));
    f.residual = number(value.at(1));
    if (f.end == 0 || f.residual == 0) return false;
    if (f.residual > f.end)
      complain(value, fmt::format("the last tile's factor {} is larger than the factor {}", f.residual, f.end));
    return true;
  }

  void complain(const YamlNode& node, std::string message) { errors_.push_back(node.error(std::move(message))); }

  const Workload& workload_;
  Diagnostics& errors_;
};

}  // namespace

std::vector<ListedFactor> read_loops(const YamlNode& node, const std::string& where, const Workload& workload,
                                     Diagnostics& errors) {
  return LoopReader(workload, errors).run(node, where);
}

Diagnostic unknown_name(const YamlNode& node, std::string_view what, const std::string& name,
                        const std::vector<std::string>& known) {
  return node.error(fmt::format("unknown {} '{}'{}; known: {}", what, name, did_you_mean(name, known), join(known)));
}

}  // namespace heliolite
