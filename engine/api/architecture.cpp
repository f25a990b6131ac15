// Machines as users of the library see them (heliolite/architecture.h).
#include <heliolite/architecture.h>

#include <utility>

#include "arch/architecture_yaml.h"
#include "engine/api/inside.h"
#include "engine/base/yaml_node.h"
#include "engine/formats/load_architecture.h"
#include "engine/sweep/design_points.h"

namespace heliolite::api {
namespace {

StorageLevel public_level(const heliolite::StorageLevel& level) {
  return {.name = level.name,
          .capacity_words = level.capacity_words(),
          .word_bits = static_cast<double>(level.word_bits),
          .block_words = level.block_words,
          .instances = level.instances,
          .fanout_x = level.fanout_x,
          .fanout_y = level.fanout_y,
          .read_pj = level.energy.read_pj,
          .fill_pj = level.energy.fill_pj,
          .update_pj = level.energy.update_pj,
          .leak_pj_per_cycle = level.leak_pj_per_cycle,
          .area_um2 = level.area_um2,
          .read_bandwidth = level.bandwidth.read,
          .write_bandwidth = level.bandwidth.write,
          .shared_bandwidth = level.bandwidth.shared,
          .is_dram = level.is_dram,
          .is_interconnect = level.is_interconnect};
}

// Complaints about the field and the value that a program gave: they stand in no file.
Diagnostics of_field(Diagnostics errors, const std::string& field) {
  for (Diagnostic& error : errors) error = {"", 0, field, std::move(error.message)};
  return errors;
}

}  // namespace

const std::string& Architecture::name() const { return Inside::of(*this).name; }
const std::string& Architecture::description() const { return Inside::of(*this).description; }

std::vector<StorageLevel> Architecture::levels() const {
  std::vector<StorageLevel> out;
  for (const heliolite::StorageLevel& level : Inside::of(*this).levels) out.push_back(public_level(level));
  return out;
}

ComputeUnits Architecture::compute() const {
  const Compute& units = Inside::of(*this).compute;
  return {units.name, units.instances, static_cast<double>(units.word_bits), units.op_pj, units.area_um2};
}

double Architecture::area_um2() const { return Inside::of(*this).area_um2(); }
std::optional<double> Architecture::technology_nm() const { return Inside::of(*this).technology_nm; }
std::optional<double> Architecture::cycle_ns() const { return Inside::of(*this).cycle_ns; }
const std::vector<std::string>& Architecture::notes() const { return Inside::of(*this).notes; }
std::string Architecture::yaml() const { return write_architecture(Inside::of(*this)); }

Result<Architecture> Architecture::with(const std::string& field, const std::string& value) const {
  const ArchitectureSource& source = state_->source;
  Result<ArchitectureSpec> spec = stated_spec(source, name());
  if (!spec) return spec.errors();
  const Result<YamlNode> node = YamlNode::parse(value, name());
  if (!node) return of_field(node.errors(), field);
  Diagnostics errors;
  const std::optional<FieldPath> path = read_field_path(node->scalar(field), *spec, errors);
  if (!path) return of_field(std::move(errors), field);
  const Setting setting = read_setting(*path, *node, errors);
  if (!errors.empty()) return of_field(std::move(errors), field);
  ArchitectureSpec varied = with_setting(*std::move(spec), setting, errors);
  if (!errors.empty()) return of_field(std::move(errors), field);
  Result<heliolite::Architecture> machine = resolve(varied, source.tables);
  if (!machine) return of_field(machine.errors(), field);
  return Inside::handle(ArchitectureSource{*std::move(machine), std::move(varied), source.tables, {}, {}});
}

Result<Architecture> load_architecture(const std::string& what, const ReadOptions& options) {
  const Result<heliolite::ReadOptions> reading = engine_options(options);
  if (!reading) return reading.errors();
  return handled(load_architecture_source(what, *reading));
}

Result<Architecture> parse_architecture(std::string_view text, const std::string& name) {
  return handled(parse_architecture_source(text, name));
}

std::vector<std::string> architecture_presets() { return architecture_preset_names(); }

}  // namespace heliolite::api
