// Einsums, networks and machines as users of the library see them (heliolite/workload.h, heliolite/architecture.h).
#include <fmt/format.h>
#include <heliolite/architecture.h>
#include <heliolite/workload.h>

#include <algorithm>
#include <set>
#include <utility>

#include "arch/architecture_yaml.h"
#include "engine/api/inside.h"
#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/base/named.h"
#include "engine/base/text.h"
#include "engine/base/yaml_node.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/sweep/design_points.h"
#include "workloads/einsum_text.h"
#include "workloads/workload_yaml.h"

namespace heliolite::api {

// Einsums and networks as users of the library see them (heliolite/workload.h).

namespace {

// An Einsum whose names are looked up; complaints name the place in its structure.
class EinsumReader {
 public:
  explicit EinsumReader(const Einsum& einsum) : einsum_(einsum) {}

  Result<heliolite::Workload> run() {
    out_.name = einsum_.name;
    for (const Dimension& dimension : einsum_.dimensions) {
      out_.dimensions.push_back({dimension.name, dimension.size});
      names_.push_back(dimension.name);
    }
    for (const Tensor& tensor : einsum_.tensors) read_tensor(tensor);
    if (!errors_.empty()) return errors_;
    link_accesses(out_);
    infer_roles(out_);
    if (Diagnostics problems = check(out_); !problems.empty()) return problems;
    return std::move(out_);
  }

 private:
  void refuse(const Tensor& tensor, std::string why) {
    errors_.push_back({"", 0, fmt::format("tensor '{}'", tensor.name), std::move(why)});
  }

  void read_tensor(const Tensor& tensor) {
    heliolite::Tensor to{.name = tensor.name, .ranks = {}, .role = role_of(tensor), .word_bits = word_bits_of(tensor)};
    for (const Rank& rank : tensor.ranks) {
      heliolite::Rank sum;
      for (const Term& term : rank) {
        const std::optional<int> dimension = out_.find_dimension(term.dimension);
        if (dimension) sum.terms.push_back({*dimension, term.coefficient});
        else
          refuse(tensor, fmt::format("unknown dimension '{}', must be {}{}", term.dimension, join(names_, "or"),
                                     did_you_mean(term.dimension, names_)));
      }
      to.ranks.push_back(std::move(sum));
    }
    out_.tensors.push_back(std::move(to));
  }

  std::optional<WordLength> word_bits_of(const Tensor& tensor) {
    if (!tensor.word_bits) return std::nullopt;
    // The shortest text of a double is the decimal fraction that was meant.
    const auto bits = parse_word_length(fmt::format("{}", *tensor.word_bits));
    if (!bits) refuse(tensor, fmt::format("word_bits = {}, must be {}", *tensor.word_bits, word_lengths_allowed()));
    return bits;
  }

  Role role_of(const Tensor& tensor) {
    if (tensor.role.empty()) return Role::Input;
    if (const std::optional<Role> role = find_named<Role>(tensor.role)) return *role;
    const std::vector<std::string> names = names_of<Role>();
    refuse(tensor,
           fmt::format("role = '{}', must be {}{}", tensor.role, join(names, "or"), did_you_mean(tensor.role, names)));
    return Role::Input;
  }

  const Einsum& einsum_;
  heliolite::Workload out_;
  std::vector<std::string> names_;  // of dimensions
  Diagnostics errors_;
};

}  // namespace

Result<Workload> Workload::create(const Einsum& einsum) { return handled(EinsumReader(einsum).run()); }

const std::string& Workload::name() const { return state_->workload.name; }

Einsum Workload::einsum() const {
  const heliolite::Workload& from = state_->workload;
  Einsum out{.name = from.name, .dimensions = {}, .tensors = {}};
  for (const heliolite::Dimension& dimension : from.dimensions)
    out.dimensions.push_back({dimension.name, dimension.size});
  for (const heliolite::Tensor& tensor : from.tensors) {
    Tensor to{.name = tensor.name,
              .ranks = {},
              .role = std::string(heliolite::name(tensor.role)),
              .word_bits = tensor.word_bits ? std::optional(static_cast<double>(*tensor.word_bits)) : std::nullopt};
    for (const heliolite::Rank& rank : tensor.ranks) {
      Rank& sum = to.ranks.emplace_back();
      for (const heliolite::Term& term : rank.terms)
        sum.push_back({from.dimensions[term.dimension].name, term.coefficient});
    }
    out.tensors.push_back(std::move(to));
  }
  return out;
}

std::uint64_t Workload::macs() const { return state_->workload.macs(); }
std::uint64_t Workload::words(std::size_t tensor) const {
  return state_->workload.tensor_words(static_cast<int>(tensor));
}
std::string Workload::yaml() const { return write_workload(state_->workload); }

Result<Network> Network::create(const std::string& name, const std::vector<Layer>& layers) {
  heliolite::Network out{.name = name, .layers = {}};
  Diagnostics errors;
  std::set<std::string> names;
  if (layers.empty()) errors.push_back({"", 0, "layers", "must be at least one"});
  for (const Layer& layer : layers) {
    const std::string field = fmt::format("layer '{}'", layer.workload.name());
    if (!names.insert(layer.workload.name()).second)
      errors.push_back({"", 0, field, "stands there twice, layers must have different names"});
    if (layer.count == 0 || layer.count > kMaxLayerCount)
      errors.push_back({"", 0, field, fmt::format("count = {}, must be from 1 to {}", layer.count, kMaxLayerCount)});
    out.layers.push_back({Inside::of(layer.workload), layer.count});
  }
  if (!errors.empty()) return errors;
  return Inside::handle(std::move(out));
}

const std::string& Network::name() const { return state_->network.name; }

std::vector<Layer> Network::layers() const {
  return mapped(state_->network.layers, [&](const heliolite::Layer& layer) {
    return Layer{Inside::handle(layer.workload), layer.count};
  });
}

std::optional<Layer> Network::find(std::string_view layer) const {
  for (const heliolite::Layer& one : state_->network.layers)
    if (one.workload.name == layer) return Layer{Inside::handle(one.workload), one.count};
  return std::nullopt;
}

std::uint64_t Network::macs() const { return state_->network.macs(); }
std::uint64_t Network::batch() const { return state_->network.batch; }
std::optional<std::uint64_t> Network::inferences() const { return state_->network.inferences(); }
std::optional<double> Network::tokens() const { return state_->network.run_tokens(); }
const std::vector<std::string>& Network::notes() const { return state_->network.notes; }
std::string Network::yaml() const { return write_network(state_->network); }

Result<Network> load_network(const std::string& what, const ReadOptions& options) {
  const Result<heliolite::ReadOptions> reading = engine_options(options);
  if (!reading) return reading.errors();
  return handled(heliolite::load_network(what, *reading, options.edges ? Wanted::Edges : Wanted::Shapes));
}

Result<Network> parse_network(std::string_view text, const std::string& file) {
  return handled(heliolite::parse_network(text, file));
}

Result<Workload> parse_einsum(std::string_view text) { return handled(heliolite::parse_einsum(text)); }

std::vector<std::string> workload_presets() { return workload_preset_names(); }

// Machines as users of the library see them (heliolite/architecture.h).

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

std::vector<StorageLevel> Architecture::levels() const { return mapped(Inside::of(*this).levels, public_level); }

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
