// Field paths of parameters, and the variants of the machine that they make with a value, read by the machine's own
// readers.
#include "engine/sweep/design_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "arch/architecture_yaml.h"
#include "engine/base/named.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

constexpr std::string_view kCompute = "compute";

// Fields of a machine, and of a level, that a sweep cannot give a meaning to.
constexpr std::array<std::string_view, 8> kFixedOfMachine{"name", "description", "base",    "ert",
                                                          "art",  "levels",      "compute", "units"};
constexpr std::array<std::string_view, 5> kFixedOfLevel{"name", "buffers", "interconnect", "levels", "below"};

// Keys whose value is a map that can be set part by part.
constexpr std::array<std::string_view, 2> kWithParts{"fanout", "bandwidth"};

// Keys of the machine, of levels, of compute.
constexpr std::array<std::string_view, 7> kMemoryKeys{"entries",  "capacity",  "energy",       "leak_pj_per_cycle",
                                                      "area_um2", "bandwidth", "technology_nm"};

bool contains(const auto& words, std::string_view word) { return std::ranges::find(words, word) != words.end(); }

std::vector<std::string> owners(const ArchitectureSpec& machine) {
  std::vector<std::string> names = names_of(machine.levels);
  names.emplace_back(kCompute);
  for (const UnitSpec& unit : machine.units) {
    for (const LevelSpec& level : unit.levels) names.push_back(level.name);
    names.push_back(unit.name);
  }
  return names;
}

// The further unit of that name, or whose level has it; empty: none.
std::string unit_of(const ArchitectureSpec& machine, const std::string& owner) {
  for (const UnitSpec& unit : machine.units)
    if (unit.name == owner || std::ranges::find(unit.levels, owner, &LevelSpec::name) != unit.levels.end())
      return unit.name;
  return "";
}

// The level that the field is of, of a unit the one that feeds it as the unit has it; nullptr: there is none.
LevelSpec* level_of(ArchitectureSpec& machine, const FieldPath& field) {
  const auto named = [&](std::vector<LevelSpec>& levels) {
    const auto found = std::ranges::find(levels, field.level, &LevelSpec::name);
    return found == levels.end() ? nullptr : &*found;
  };
  if (field.unit.empty()) return named(machine.levels);
  const auto unit = std::ranges::find(machine.units, field.unit, &UnitSpec::name);
  if (unit == machine.units.end()) return nullptr;
  return field.level == field.unit ? &unit->feed : named(unit->levels);
}

// The level or "compute" that the path starts with, the longest such name; empty if none.
std::string owner_of(const std::string& text, const std::vector<std::string>& names) {
  std::string longest;
  for (const std::string& name : names)
    if (text.size() > name.size() && text.starts_with(name) && text[name.size()] == '.' && name.size() > longest.size())
      longest = name;
  return longest;
}

// The bandwidths that `by` does not state stay.
void complete(LevelSpec& by, const LevelSpec& base) {
  const Bandwidth words = by.bandwidth.value_or(Bandwidth{}), bytes = by.gigabytes_per_second.value_or(Bandwidth{});
  for (const auto rate : {&Bandwidth::read, &Bandwidth::write, &Bandwidth::shared}) {
    if (words.*rate || bytes.*rate) continue;
    if (by.bandwidth && base.bandwidth) (*by.bandwidth).*rate = (*base.bandwidth).*rate;
    if (by.gigabytes_per_second && base.gigabytes_per_second)
      (*by.gigabytes_per_second).*rate = (*base.gigabytes_per_second).*rate;
  }
}

}  // namespace

std::optional<FieldPath> read_field_path(const YamlNode& node, const ArchitectureSpec& machine, Diagnostics& errors) {
  const auto refuse = [&](std::string why) {
    errors.push_back(node.error(fmt::format("set = {}: {}", node.text(), why)));
    return std::nullopt;
  };
  if (!node.is_scalar() || node.text().empty()) {
    errors.push_back(
        node.error("set must be a field, LEVEL.key, compute.key or a key of the machine, or a list of them"));
    return std::nullopt;
  }
  const std::vector<std::string> names = owners(machine);
  FieldPath path{node.text(), owner_of(node.text(), names), "", "", ""};
  path.unit = unit_of(machine, path.level);
  std::string rest = path.text.substr(path.level.empty() ? 0 : path.level.size() + 1);
  const std::size_t dot = rest.find('.');
  if (path.level.empty() && dot != std::string::npos) {
    const std::string level = rest.substr(0, dot);
    return refuse(
        fmt::format("the machine has no level {}{}; it has {}", level, did_you_mean(level, names), join(names)));
  }
  path.key = rest.substr(0, dot);
  if (dot != std::string::npos) path.part = rest.substr(dot + 1);
  const bool fixed = path.level.empty() ? contains(kFixedOfMachine, path.key) : contains(kFixedOfLevel, path.key);
  if (path.key.empty() || fixed || contains(names, path.text))
    return refuse("is no field that a parameter can set; it sets LEVEL.key, compute.key or a key of the machine");
  if (!path.part.empty() && !contains(kWithParts, path.key))
    return refuse(fmt::format("{} is set as a whole: set {}.{} to maps or lists", path.key, path.level, path.key));
  return path;
}

Setting read_setting(const FieldPath& field, const YamlNode& value, Diagnostics& errors) {
  const YamlNode inner = field.part.empty() ? value : value.wrapped(field.part);
  YamlNode body = inner.wrapped(field.key);
  if (field.level == kCompute) body = body.wrapped(std::string(kCompute));
  else if (!field.level.empty() && field.level != field.unit)
    body = body.with("name", value.scalar(field.level)).listed().wrapped("levels");
  if (!field.unit.empty()) body = body.with("name", value.scalar(field.unit)).listed().wrapped("units");
  const Result<ArchitectureSpec> read =
      read_architecture_yaml(body.with("base", value.scalar("machine")).wrapped("architecture"));
  if (!read) {
    for (Diagnostic error : read.errors()) {
      error.field = value.field();  // not the path in a document that the user does not see
      errors.push_back(std::move(error));
    }
    return {field, {}};
  }
  Setting setting{field, *read};
  setting.variant.place = setting.variant.compute.place = Place{value.file(), value.line(), value.field()};
  for (LevelSpec& level : setting.variant.levels) level.place = setting.variant.place;
  for (UnitSpec& unit : setting.variant.units) unit.place = unit.compute.place = setting.variant.place;
  LevelSpec* const level = level_of(setting.variant, field);
  if (level != nullptr) level->place = setting.variant.place;
  if (level != nullptr && field.key == "fanout" && field.part == "x") level->fanout_y.reset();
  if (level != nullptr && field.key == "fanout" && field.part == "y") level->fanout_x.reset();
  return setting;
}

ArchitectureSpec with_setting(ArchitectureSpec machine, const Setting& setting, Diagnostics& errors) {
  if (setting.field.key != "bandwidth" || setting.field.part.empty())
    return vary(std::move(machine), setting.variant, errors);
  ArchitectureSpec variant = setting.variant;
  LevelSpec* const by = level_of(variant, setting.field);
  if (const LevelSpec* const base = level_of(machine, setting.field); by != nullptr && base != nullptr)
    complete(*by, *base);
  return vary(std::move(machine), variant, errors);
}

bool overlap(const FieldPath& a, const FieldPath& b) {
  const auto capacity = [](const FieldPath& f) { return f.key == "entries" || f.key == "capacity"; };
  if (a.level != b.level) return false;
  if (a.key != b.key) return capacity(a) && capacity(b);
  return a.part.empty() || b.part.empty() || a.part == b.part;
}

bool is_memory_field(const FieldPath& field) { return contains(kMemoryKeys, field.key); }

}  // namespace heliolite
