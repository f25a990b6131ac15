// The parts of our YAML that say what a level keeps and which loops it may run.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "arch/architecture.h"
#include "arch/architecture_yaml.h"
#include "arch/check.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

using Names = std::vector<std::string>;

bool contains(const Names& words, const std::string& word) { return std::ranges::find(words, word) != words.end(); }

// Role selectors are written in the plural here, whatever the file says.
std::string canonical(const std::string& selector) {
  static const Names kRoles{"input", "weight", "output"};
  return contains(kRoles, selector) ? selector + "s" : selector;
}

std::optional<Names> selectors(FieldReader& level, std::string_view key) {
  std::optional<Names> words = level.words(key);
  if (words)
    for (std::string& word : *words) word = canonical(word);
  return words;
}

void check_overlap(const YamlNode& node, const Names& one, std::string_view key_one, const Names& two,
                   std::string_view key_two, Diagnostics& errors) {
  for (const std::string& word : one)
    if (contains(two, word))
      errors.push_back(node.error(fmt::format("{} is both in '{}' and in '{}'", word, key_one, key_two)));
}

constexpr std::string_view kLargestWord = "max";

struct Operator {
  std::string_view text;
  Relation relation;
};
// Longer ones first.
constexpr std::array kOperators{Operator{"<=", Relation::AtMost}, Operator{">=", Relation::AtLeast},
                                Operator{"==", Relation::Equal}, Operator{"=", Relation::Equal}};

// "C=4", "K <= 16", "input_channel>=2".
std::optional<FactorConstraint> parse_factor(std::string_view text) {
  for (const Operator& op : kOperators) {
    const std::size_t at = text.find(op.text);
    if (at == std::string_view::npos) continue;
    const std::string dimension(trim(text.substr(0, at)));
    const std::string_view number = trim(text.substr(at + op.text.size()));
    if (number == kLargestWord && op.relation == Relation::Equal && !dimension.empty())
      return FactorConstraint{dimension, op.relation, kLargestFactor};
    const auto value = parse_number<u64>(number);
    if (dimension.empty() || !value || *value > kMaxDimensionSize) return std::nullopt;
    if (op.relation != Relation::Equal && *value == 0) return std::nullopt;
    return FactorConstraint{dimension, op.relation, *value};
  }
  return std::nullopt;
}

std::vector<FactorConstraint> read_factors(FieldReader& reader, Diagnostics& errors) {
  std::vector<FactorConstraint> factors;
  for (const std::string& word : reader.words("factors").value_or(Names{})) {
    if (std::optional<FactorConstraint> factor = parse_factor(word)) factors.push_back(*std::move(factor));
    else
      errors.push_back(reader.node().find("factors")->error(
          fmt::format("factor '{}', must be a dimension, =, <= or >=, and a number up to {} (=0: the whole dimension, "
                      "=max: as much as there is room for)",
                      word, kMaxDimensionSize)));
  }
  return factors;
}

Names read_order(FieldReader& reader, Diagnostics& errors) {
  Names order = reader.words("order").value_or(Names{});
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t k = i + 1; k < order.size(); ++k)
      if (order[i] == order[k])
        errors.push_back(reader.node().find("order")->error(fmt::format("{} occurs twice in the order", order[i])));
  return order;
}

LoopConstraints read_temporal(const YamlNode& node, Diagnostics& errors) {
  FieldReader reader(node, temporal_constraint_fields(), errors);
  LoopConstraints loops;
  loops.factors = read_factors(reader, errors);
  loops.order = read_order(reader, errors);
  loops.allowed = reader.words("allowed");
  reader.finish();
  return loops;
}

SpatialConstraints read_spatial(const YamlNode& node, Diagnostics& errors) {
  FieldReader reader(node, spatial_constraint_fields(), errors);
  SpatialConstraints spatial;
  spatial.factors = read_factors(reader, errors);
  spatial.order = read_order(reader, errors);
  const std::optional<Names> both = reader.words("allowed");
  spatial.allowed_x = reader.words("allowed_x");
  spatial.allowed_y = reader.words("allowed_y");
  if (both && (spatial.allowed_x || spatial.allowed_y))
    reader.error("give either 'allowed' for both axes or 'allowed_x' and 'allowed_y'");
  if (both) spatial.allowed_x = spatial.allowed_y = both;
  if (const std::optional<i64> split = reader.integer("split")) spatial.split = static_cast<u64>(*split);
  spatial.no_peers = reader.words(kPeerChannel.excludes).value_or(Names{});
  reader.finish();
  return spatial;
}

}  // namespace

std::string factor_text(const FactorConstraint& factor) {
  const auto sign = std::ranges::find_if(
      kOperators, [&](const Operator& op) { return op.relation == factor.relation && op.text != "=="; });
  return fmt::format("{}{}{}", factor.dimension, sign->text,
                     factor.value == kLargestFactor ? std::string(kLargestWord) : std::to_string(factor.value));
}

KeepSpec read_keep(FieldReader& level, Diagnostics& errors) {
  const KeepSpec stated{selectors(level, "keep"), selectors(level, "bypass"), selectors(level, "open")};
  const Names kept = stated.keep.value_or(Names{});
  const Names passed = stated.bypass.value_or(Names{});
  const Names free = stated.open.value_or(Names{});
  check_overlap(level.node(), kept, "keep", passed, "bypass", errors);
  check_overlap(level.node(), kept, "keep", free, "open", errors);
  check_overlap(level.node(), passed, "bypass", free, "open", errors);
  const auto no_role = [](const std::string& word) {
    return word != "all" && !contains({"inputs", "weights", "outputs"}, word);
  };
  if (const auto bad = std::ranges::find_if(free, no_role); bad != free.end())
    errors.push_back(level.node().find("open")->error(fmt::format(
        "open = {}, must be all, inputs, weights or outputs (name single tensors in 'keep' and 'bypass')", *bad)));
  return stated;
}

LevelConstraints read_constraints(const YamlNode& node, Diagnostics& errors) {
  FieldReader reader(node, constraints_fields(), errors);
  LevelConstraints constraints;
  if (const auto temporal = reader.child("temporal")) constraints.temporal = read_temporal(*temporal, errors);
  if (const auto spatial = reader.child("spatial")) constraints.spatial = read_spatial(*spatial, errors);
  reader.finish();
  return constraints;
}

}  // namespace heliolite
