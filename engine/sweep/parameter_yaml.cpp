// One parameter of a sweep file: what it sets and the values it takes.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "arch/architecture_yaml.h"
#include "engine/base/field_reader.h"
#include "engine/base/text.h"
#include "engine/sweep/design_points.h"
#include "engine/sweep/sweep_yaml.h"

namespace heliolite {
namespace {

struct Follows {
  bool energy = false, area = false;
};

// Whether the costs of a level are computed from its size.
Follows follows(const LevelSpec& level, const SweepSpec& spec) {
  const bool in_ert = spec.tables.ert && spec.tables.ert->components.contains(level.name);
  const bool in_art = spec.tables.art && spec.tables.art->components.contains(level.name);
  const auto own = level.energy ? std::get_if<EnergyModel>(&*level.energy) : nullptr;
  const bool computed = level.energy ? own != nullptr : !in_ert && spec.machine.energy.has_value();
  const bool table = computed && (own ? *own : *spec.machine.energy) != EnergyModel::Pat;
  return {computed, level.area ? std::holds_alternative<EnergyModel>(*level.area) : table && !in_art};
}

// Whether some parameter sets this key of the level, or of the whole machine.
bool is_swept(const SweepSpec& spec, const std::string& level, std::string_view key) {
  return std::ranges::any_of(spec.parameters, [&](const SweepParameter& parameter) {
    return std::ranges::any_of(parameter.fields, [&](const FieldPath& field) {
      return field.key == key && (field.level == level || field.level.empty());
    });
  });
}

}  // namespace

Diagnostics stated_cost_warnings(const SweepSpec& spec) {
  Diagnostics out;
  for (const SweepParameter& parameter : spec.parameters) {
    for (const FieldPath& field : parameter.fields) {
      if (field.key != "entries" && field.key != "capacity") continue;
      const auto level = std::ranges::find(spec.machine.levels, field.level, &LevelSpec::name);
      if (level == spec.machine.levels.end()) continue;
      const Follows costs = follows(*level, spec);
      const bool energy_stays = !costs.energy && !is_swept(spec, field.level, "energy");
      const bool area_stays = !costs.area && !is_swept(spec, field.level, "area_um2");
      if (!energy_stays && !area_stays) continue;
      out.push_back(parameter.place.error(
          fmt::format("the {} of {} {} the same whatever {} is: not from the tables (energy: table)",
                      energy_stays && area_stays ? "energy and area"
                      : energy_stays             ? "energy"
                                                 : "area",
                      field.level, energy_stays && area_stays ? "stay" : "stays", field.text)));
    }
  }
  return out;
}

namespace {

constexpr double kLargestNumber = 9007199254740992.0;  // 2^53: every integer up to here is a double

// As YAML writes it on one line.
std::string flow_text(const YamlNode& node) {
  std::vector<std::string> parts;
  switch (node.kind()) {
    case YamlNode::Kind::Null: return "null";
    case YamlNode::Kind::Scalar: return node.text();
    case YamlNode::Kind::Sequence:
      for (const YamlNode& element : elements(node)) parts.push_back(flow_text(element));
      return fmt::format("[{}]", fmt::join(parts, ", "));
    case YamlNode::Kind::Map:
      for (const std::string& key : node.keys()) parts.push_back(key + ": " + flow_text(*node.find(key)));
      return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }
  return "";
}

// Numbers; sizes in bytes; fan-outs, 14x12 or {x: 14, y: 12}, as their product.
std::optional<double> number_of(const YamlNode& node) {
  if (const std::optional<double> number = node.as_number()) return number;
  if (const std::optional<double> bytes = parse_bytes(node.text())) return bytes;
  const std::vector<std::string> sides = split(node.text(), 'x');
  double product = 1;
  bool known = node.is_map() ? node.size() > 0 : sides.size() == 2;
  const auto multiply = [&](const YamlNode& side) {
    const std::optional<i64> factor = side.as_integer();
    known &= factor.has_value();
    product *= static_cast<double>(factor.value_or(1));
  };
  if (node.is_map())
    for (const std::string& key : node.keys()) multiply(*node.find(key));
  else
    for (const std::string& side : sides) multiply(node.scalar(side));
  return known ? std::optional(product) : std::nullopt;
}

// A number with the unit it is written in: "16 KB" is 16 times 1024 bytes.
struct Quantity {
  double number = 0;
  std::string unit;       // " KB"; empty for plain numbers
  double unit_bytes = 1;  // 0 for plain numbers
};

std::optional<Quantity> quantity_of(const YamlNode& node) {
  if (const std::optional<double> number = node.as_number()) return Quantity{*number, "", 0};
  const std::optional<double> bytes = parse_bytes(node.text());
  if (!bytes) return std::nullopt;
  const std::string& text = node.text();
  const std::size_t digits_end = std::min(text.find_last_of("0123456789.") + 1, text.size());
  const std::string unit(trim(std::string_view(text).substr(digits_end)));
  const double unit_bytes = *parse_bytes("1 " + unit);
  return Quantity{*bytes / unit_bytes, " " + unit, unit_bytes};
}

class ParameterReader {
 public:
  ParameterReader(const std::string& name, const YamlNode& node, const ArchitectureSpec& machine, Diagnostics& errors)
      : reader_(node, sweep_parameter_fields(), errors), machine_(machine), errors_(errors) {
    out_.name = name;
    out_.place = place_of(node);
  }

  SweepParameter run() {
    if (!reader_.valid()) return out_;
    const std::optional<YamlNode> set = reader_.child("set"), values = reader_.child("values");
    const std::optional<YamlNode> from = reader_.child("from"), to = reader_.child("to");
    const std::optional<YamlNode> step = reader_.child("step"), factor = reader_.child("factor");
    const bool range = from || to;
    for (const YamlNode& field : elements(set))
      if (auto path = read_field_path(field, machine_, errors_)) add_field(out_.fields, *path, field);
    if (set && elements(set).empty()) errors_.push_back(set->error("set must name at least one field"));
    if (values && range) reader_.error("has 'values' and a range ('from', 'to'), must have one of the two");
    else if (range) read_range();
    else if (!values) reader_.error("missing key 'values', or a range: 'from', 'to' and 'step' or 'factor'");
    else if (values->is_map()) read_alternatives(*values, set);
    else if (set) read_values(*values);
    else reader_.error("missing key 'set': the field that the values are for");
    for (const auto& [key, given] : {std::pair("step", step.has_value()), std::pair("factor", factor.has_value())})
      if (given && !range) reader_.error(fmt::format("'{}' belongs to a range: give 'from' and 'to'", key));
    reader_.finish();
    if (out_.values.empty() && errors_.empty()) reader_.error("must have at least one value");
    return std::move(out_);
  }

 private:
  void add_field(std::vector<FieldPath>& fields, const FieldPath& field, const YamlNode& at) {
    const auto same = std::ranges::find_if(fields, [&](const FieldPath& f) { return overlap(f, field); });
    if (same != fields.end()) errors_.push_back(at.error(fmt::format("{} sets what {} sets", field.text, same->text)));
    else fields.push_back(field);
  }

  void read_values(const YamlNode& values) {
    if (!values.is_sequence()) return errors_.push_back(values.error("values must be a list"));
    if (values.size() > kMaxParameterValues) return too_many(values, static_cast<double>(values.size()));
    for (const YamlNode& value : elements(values)) add_value(value, flow_text(value));
  }

  void too_many(const YamlNode& at, double count) {
    errors_.push_back(at.error(fmt::format("{:.6g} values, at most {} are possible", count, kMaxParameterValues)));
  }

  void add_value(const YamlNode& node, const std::string& text) {
    ParameterValue value{text, number_of(node), {}};
    for (const FieldPath& field : out_.fields) value.settings.push_back(setting(field, node));
    add(std::move(value), node);
  }

  // A complaint that holds for every value (an unknown key) is made once.
  Setting setting(const FieldPath& field, const YamlNode& node) {
    Diagnostics errors;
    Setting out = read_setting(field, node, errors);
    for (Diagnostic& error : errors)
      if (complaints_.insert(error.message).second) errors_.push_back(std::move(error));
    return out;
  }

  void add(ParameterValue value, const YamlNode& at) {
    if (texts_.insert(value.text).second) out_.values.push_back(std::move(value));
    else errors_.push_back(at.error(fmt::format("value {} is there already", value.text)));
  }

  // {small: {Spad.entries: 8, GLB.capacity: 54 KB}, big: {...}}
  void read_alternatives(const YamlNode& values, const std::optional<YamlNode>& set) {
    if (set)
      return errors_.push_back(values.error("named alternatives say themselves what they set; 'set' goes with a list"));
    for (const std::string& name : values.keys()) {
      const YamlNode node = *values.find(name);
      if (!node.is_map() || node.size() == 0) {
        errors_.push_back(node.error(fmt::format("alternative {} must be a map of fields and values", name)));
        continue;
      }
      ParameterValue value{name, std::nullopt, {}};
      std::vector<FieldPath> fields;
      for (const std::string& key : node.keys()) {
        const YamlNode field = *node.find(key);
        const std::optional<FieldPath> path = read_field_path(field.scalar(key), machine_, errors_);
        if (!path) continue;
        add_field(fields, *path, field);
        if (std::ranges::find(out_.fields, path->text, &FieldPath::text) == out_.fields.end())
          out_.fields.push_back(*path);
        value.settings.push_back(setting(*path, field));
      }
      add(std::move(value), node);
    }
  }

  // One end of a range, or its step, in the unit of `like`.
  std::optional<double> in_unit_of(const Quantity& like, const char* key) {
    const std::optional<YamlNode> node = reader_.child(key);
    if (!node) return std::nullopt;
    const std::optional<Quantity> quantity = quantity_of(*node);
    const bool plain = quantity && quantity->unit_bytes == 0;
    if (!quantity || plain != (like.unit_bytes == 0)) {
      errors_.push_back(node->error(fmt::format("{} = {}, must be a {} as 'from' is", key, flow_text(*node),
                                                like.unit_bytes == 0 ? "number" : "size with its unit")));
      return std::nullopt;
    }
    return plain ? quantity->number : quantity->number * quantity->unit_bytes / like.unit_bytes;
  }

  void read_range() {
    const auto from = reader_.needed("from"), to = reader_.needed("to");
    const bool has_step = reader_.child("step").has_value(), has_factor = reader_.child("factor").has_value();
    if (out_.fields.empty() && !reader_.child("set"))
      reader_.error("missing key 'set': the field that the range is for");
    if (has_step == has_factor) reader_.error("a range needs 'step' (added) or 'factor' (multiplied), one of the two");
    if (!from || !to || has_step == has_factor) return;
    const std::optional<Quantity> first = quantity_of(*from);
    if (!first) return errors_.push_back(from->error("from must be a number or a size with its unit"));
    const auto last = in_unit_of(*first, "to");
    const auto step = in_unit_of(has_step ? *first : Quantity{0, "", 0}, has_step ? "step" : "factor");
    if (!last || !step) return;
    const double least = has_step ? 0 : 1;
    if (*step <= least || (has_factor && first->number <= 0))
      return reader_.error(fmt::format("{} must be above {}{}", has_step ? "step" : "factor", least,
                                       has_factor ? ", and 'from' above 0" : ""));
    if (*last < first->number || *last > kLargestNumber)
      return reader_.error("'to' must be at least 'from' and at most 2^53");
    fill_range(*from, *first, *last, *step, has_factor);
  }

  void fill_range(const YamlNode& at, const Quantity& first, double last, double step, bool factor) {
    const double end = last + 1e-9 * std::abs(last);  // 0.1 + 0.1 + 0.1 is 0.3
    const double count = factor ? std::log(last / first.number) / std::log(step) : (last - first.number) / step;
    if (count >= static_cast<double>(kMaxParameterValues)) return too_many(at, count + 1);
    double value = first.number;
    for (int k = 1; value <= end; ++k) {
      add_value(at.scalar(number_text(value) + first.unit), number_text(value) + first.unit);
      value = factor ? value * step : first.number + k * step;
    }
  }

  // Integers as such; others short of the rounding of sums.
  static std::string number_text(double value) {
    const bool whole = value == std::floor(value) && std::abs(value) < kLargestNumber;
    return whole ? fmt::format("{}", static_cast<i64>(value)) : fmt::format("{:.12g}", value);
  }

  FieldReader reader_;
  const ArchitectureSpec& machine_;
  Diagnostics& errors_;
  SweepParameter out_;
  std::set<std::string> texts_, complaints_;
};

}  // namespace

SweepParameter read_parameter(const std::string& name, const YamlNode& node, const ArchitectureSpec& machine,
                              Diagnostics& errors) {
  return ParameterReader(name, node, machine, errors).run();
}

}  // namespace heliolite
