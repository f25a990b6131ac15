#include "engine/formats/timeloop/instance.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "engine/base/text.h"
#include "engine/formats/timeloop/attributes.h"
#include "engine/inputs/read_options.h"

namespace heliolite {
namespace {

constexpr int kMaxVariables = 32;  // one named by the other

// Sizes of the input and its padding, which follow from the other sizes for Timeloop.
constexpr std::array<std::string_view, 2> kInputSizes{"H", "W"};
constexpr std::array<std::string_view, 6> kPaddings{"Wpadding", "Hpadding", "Wpad", "Hpad", "padding", "pad"};

class InstanceReader {
 public:
  InstanceReader(MapReader& map, const std::vector<YamlNode>& variables, std::vector<std::string>& notes,
                 Diagnostics& errors)
      : map_(map), variables_(variables), notes_(notes), errors_(errors) {}

  void run(Workload& workload, std::vector<TimeloopCoefficient>& coefficients) {
    for (Dimension& d : workload.dimensions) {
      names_.push_back(d.name);
      if (const auto node = map_.required_child(d.name)) d.size = value(*node, d.name, 1, kMaxDimensionSize);
      else d.size = 1;
    }
    for (TimeloopCoefficient& c : coefficients) {
      names_.push_back(c.name);
      const auto node = map_.child(c.name);
      if (!node) continue;
      c.value = value(*node, c.name, 0, kMaxCoefficient);
      c.place = *node;
    }
    map_.ignore("name");
    densities();
    for (const std::string& key : map_.node().keys()) pass_over(key, *map_.node().find(key));
  }

 private:
  // An integer, or an expression that gives one.
  u64 value(const YamlNode& node, std::string_view name, u64 low, u64 high) {
    std::optional<i64> integer = node.as_integer();
    if (!integer && node.is_scalar() && !node.quoted() && node.text().find_first_of("{%") == std::string::npos &&
        is_expression(node.text())) {
      const ExpressionResult result = evaluate(node, 0);
      if (!result.value) {
        errors_.push_back(node.error(fmt::format("{} = {}: {}", name, shown(node), result.error)));
        return std::max<u64>(low, 1);
      }
      if (*result.value == std::floor(*result.value) && std::abs(*result.value) <= static_cast<double>(high))
        integer = static_cast<i64>(*result.value);
    }
    if (integer && *integer >= static_cast<i64>(low) && *integer <= static_cast<i64>(high))
      return static_cast<u64>(*integer);
    errors_.push_back(node.error(
        fmt::format("{} = {}, must be an integer from {} to {}", name, shown(node), std::max<u64>(low, 1), high)));
    return std::max<u64>(low, 1);
  }

  // Something with a name in it; what is only a number out of range is no expression.
  static bool is_expression(std::string_view text) {
    return std::ranges::any_of(text, is_letter) || text.find_first_of("*/(") != std::string_view::npos;
  }

  ExpressionResult evaluate(const YamlNode& node, int depth) const {
    if (const auto number = node.as_number()) return {number, {}};
    if (!node.is_scalar() || depth > kMaxVariables) return {{}, "refers to itself, or through too many names"};
    return evaluate_expression(node.text(), [&](std::string_view name, std::string& error) -> std::optional<double> {
      if (name.starts_with("variables.")) name.remove_prefix(10);
      std::vector<std::string> known;
      for (const YamlNode& variables : variables_) {
        if (const auto found = variables.find(name)) {
          const ExpressionResult result = evaluate(*found, depth + 1);
          if (!result.value) error = fmt::format("{} has no value: {}", name, result.error);
          return result.value;
        }
        for (const std::string& key : variables.keys()) known.push_back(key);
      }
      error = fmt::format("unknown name '{}'{}; name the file with its 'variables' too: -w problem.yaml,variables.yaml",
                          shortened(name), did_you_mean(name, known));
      return std::nullopt;
    });
  }

  void densities() {
    const auto one = [&](const YamlNode& node, std::string_view what) {
      if (is_dense(node)) return;
      const YamlNode density = node.is_map() ? node.find("density").value_or(node) : node;
      errors_.push_back(
          density.error(fmt::format("the density of {} is {}, must be 1: {}", what, shown(density), kSparseAdvice)));
    };
    if (const auto map = map_.child("densities"))
      for (const std::string& tensor : map->keys()) one(*map->find(tensor), tensor);
    for (const char* key : {"commonDensity", "common_density"})
      if (const auto common = map_.child(key)) one(*common, key);
  }

  // Keys that the shape does not know. Timeloop reads none of them; what they may have been meant for is noted.
  void pass_over(const std::string& key, const YamlNode& node) {
    if (std::ranges::find(names_, key) != names_.end()) return;
    const auto number = node.as_number();
    if (std::ranges::find(kInputSizes, key) != kInputSizes.end()) return map_.ignore(key);
    if (std::ranges::find(kPaddings, key) != kPaddings.end()) {
      if (number != 0.0)
        notes_.push_back(
            fmt::format("{}:{}: {} = {}: words of the padding count like words of the input, as in Timeloop; the "
                        "output's sizes are taken as they are",
                        node.file(), node.line(), key, shown(node)));
      return map_.ignore(key);
    }
    const auto alike = std::ranges::find(names_, lower(key), lower);
    if (number && alike != names_.end()) {
      if (*number != 1)
        notes_.push_back(fmt::format("{}:{}: {} = {} is passed over, as in Timeloop: this shape knows {} only",
                                     node.file(), node.line(), key, shown(node), *alike));
      return map_.ignore(key);
    }
    if (number == 1.0) map_.ignore(key);  // a size that changes nothing
  }

  MapReader& map_;
  const std::vector<YamlNode>& variables_;
  std::vector<std::string>& notes_;
  Diagnostics& errors_;
  std::vector<std::string> names_;  // of dimensions and coefficients
};

}  // namespace

void read_timeloop_instance(MapReader& map, const std::vector<YamlNode>& variables, Workload& workload,
                            std::vector<TimeloopCoefficient>& coefficients, std::vector<std::string>& notes,
                            Diagnostics& errors) {
  InstanceReader(map, variables, notes, errors).run(workload, coefficients);
}

}  // namespace heliolite
