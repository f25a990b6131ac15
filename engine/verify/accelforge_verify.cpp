#include "engine/verify/accelforge_verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "arch/architecture_yaml.h"
#include "arch/cost_resolver.h"
#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/formats/accelforge/files.h"
#include "engine/inputs/input_file.h"
#include "engine/model/cost_model.h"
#include "engine/network/link_graph.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/parallel.h"
#include "engine/search/fused/fused_search.h"
#include "engine/search/layer_search.h"
#include "engine/search/network_search.h"

namespace heliolite {
namespace {

constexpr double kForgeTolerance = 1e-5;  // relative: recorded numbers are sums of 32-bit floating point

// A machine for Einsums of one kind, with what its pJ and cycles are.
struct KindMachine {
  std::string text;
  Architecture machine;
  double joules_per_pj = 1e-12, cycle_seconds = 1e-9;
  std::vector<std::string> notes;
};

std::string_view role_name(Role role) {
  return role == Role::Output ? "output" : role == Role::Weight ? "weight" : "input";
}

accelforge::EinsumKind kind_of(const Workload& workload) {
  accelforge::EinsumKind kind;
  kind.bits.clear();
  kind.assumed = false;
  for (const Tensor& tensor : workload.tensors)
    kind.bits[std::string(role_name(tensor.role))] = tensor.word_bits.value_or(WordLength(8));
  return kind;
}

// What the models of components say, from what the case records of them.
accelforge::ActionPrices recorded_prices(const ForgeCase& c, const std::string& outermost) {
  accelforge::ActionPrices prices;
  std::map<std::string, double> seconds;  // [Einsum]
  for (const auto& [key, value] : c.latencies) seconds[key.first] = std::max(seconds[key.first], value);
  const double whole = sum_of<double>(seconds, [](const auto& part) { return part.second; });
  for (const auto& [key, _] : c.energies) {
    const auto& [einsum, component, action] = key;
    const double energy = c.energy_of(component, action), count = c.actions_of(component, action);
    if (action == "leak") prices[{component, action}] = whole > 0 ? energy / whole : 0;
    else prices[{component, action}] = count > 0 ? energy / count : 0;
  }
  double bits = 0, time = 0;
  for (const char* action : {"read", "write"}) bits += c.actions_of(outermost, action);
  for (const auto& [key, value] : c.latencies)
    if (key.second == outermost) time += value;
  if (time > 0) prices[{outermost, "rate"}] = bits / time;
  return prices;
}

const std::string kLeakage = "leakage";

// One case: its machines, its network, what is found.
class ForgeSearch {
 public:
  ForgeSearch(const std::string& path, const ForgeCase& one, const ForgeOptions& options)
      : path_(path), case_(one), options_(options) {}

  ForgeComparison run() {
    const Stopwatch clock;
    out_.id = case_.id, out_.machine = case_.machine, out_.fused = case_.fused;
    out_.energy = case_.energy, out_.latency = case_.latency;
    if (const Diagnostics why = compare(); !why.empty()) out_.why = why, out_.verdict = ForgeVerdict::Refused;
    if (options_.stop != nullptr && *options_.stop) out_.verdict = ForgeVerdict::Skipped;
    out_.seconds = clock.seconds();
    return std::move(out_);
  }

 private:
  Diagnostics compare() {
    if (Diagnostics errors = read(); !errors.empty()) return errors;
    if (Diagnostics errors = machines(); !errors.empty()) return errors;
    if (Diagnostics errors = unfused(); !errors.empty()) return errors;
    if (case_.fused)
      if (Diagnostics errors = fused(); !errors.empty()) return errors;
    judge();
    return {};
  }

  Diagnostics read() {
    const Result<std::string> machine = forge_file(path_, true, case_.machine);
    const Result<std::string> workload = forge_file(path_, false, case_.workload);
    if (!machine) return machine.errors();
    if (!workload) return workload.errors();
    const ReadOptions plain;
    const auto parameters = case_.parameters.empty() ? std::nullopt : std::optional(case_.parameters);
    const Result<ReadOptions> with = accelforge::with_parameters(plain, parameters, *workload);
    if (!with) return with.errors();
    Result<YamlNode> arch = load_input(*machine, *with), cascade = load_input(*workload, *with);
    if (!arch) return arch.errors();
    if (!cascade) return cascade.errors();
    arch_ = *std::move(arch), cascade_ = *std::move(cascade);
    Result<Network> network = accelforge::read_workload(cascade_, case_.workload);
    if (!network) return network.errors();
    network_ = *std::move(network);
    return {};
  }

  // The machine of each layer; equal ones are one.
  Diagnostics machines() {
    // The time of a cycle is that of the compute unit of most tensors.
    const Workload* largest = &network_.layers.front().workload;
    for (const Layer& layer : network_.layers)
      if (kind_of(layer.workload).bits.size() > kind_of(*largest).bits.size()) largest = &layer.workload;
    const Result<const KindMachine*> base = machine_of(*largest, {});
    if (!base) return base.errors();
    const double cycle = (*base)->cycle_seconds;
    base_ = *base;
    for (const Layer& layer : network_.layers) {
      const Result<const KindMachine*> machine = machine_of(layer.workload, cycle);
      if (!machine) return machine.errors();
      machine_.push_back(*machine);
    }
    return {};
  }

  Result<const KindMachine*> machine_of(const Workload& workload, double cycle) {
    accelforge::EinsumKind kind = kind_of(workload);
    kind.cycle_seconds = cycle;
    accelforge::ActionPrices prices;
    if (!case_.energies.empty()) {
      const auto arch = arch_.find("arch");
      const auto nodes = arch ? arch->find("nodes") : std::nullopt;
      const auto name = nodes && nodes->size() > 0 ? nodes->at(0).find("name") : std::nullopt;
      prices = recorded_prices(case_, name ? name->text() : "");
      add_compute_time(prices, kind);
    }
    Result<accelforge::MachineText> text = accelforge::machine_text(arch_, case_.machine, kind, prices);
    if (!text) return text.errors();
    for (const auto& known : known_)
      if (known->text == text->text) return known.get();
    const Result<YamlNode> document = YamlNode::parse(text->text, case_.machine);
    const Result<ArchitectureSpec> spec =
        document ? read_architecture_yaml(*document) : Result<ArchitectureSpec>(document.errors());
    Result<Architecture> machine = spec ? resolve(*spec, {}) : Result<Architecture>(spec.errors());
    if (!machine) return machine.errors();
    action_bits_ = text->action_bits;
    known_.push_back(std::make_unique<KindMachine>(
        KindMachine{text->text, *std::move(machine), text->joules_per_pj, text->cycle_seconds, text->notes}));
    for (const std::string& note : text->notes)
      if (std::ranges::find(out_.notes, note) == out_.notes.end()) out_.notes.push_back(note);
    return known_.back().get();
  }

  // A compute unit's time is the least that an Einsum says, as if each used all instances: the one that uses most is
  // right.
  void add_compute_time(accelforge::ActionPrices& prices, const accelforge::EinsumKind& kind) const {
    std::map<std::string, double> least;
    for (const auto& [key, count] : case_.actions) {
      const auto& [einsum, component, tensor, action] = key;
      const auto latency = case_.latencies.find({einsum, component});
      if (action != "compute" || count <= 0 || latency == case_.latencies.end() || latency->second <= 0) continue;
      const double each = latency->second / count;
      const auto [it, fresh] = least.emplace(component, each);
      if (!fresh) it->second = std::min(it->second, each);
    }
    const Result<accelforge::MachineText> machine = accelforge::machine_text(arch_, case_.machine, kind, prices);
    if (!machine) return;
    const double units = static_cast<double>(machine->compute_units);
    for (const auto& [component, seconds] : least) prices[{component, "seconds"}] = seconds * units;
  }

  SearchOptions search_options() const {
    SearchOptions search;
    search.objective = case_.latency > 0 ? Objective::Edp : Objective::Energy;
    search.network = true;
    search.threads = options_.threads;
    search.budget_seconds = options_.budget_seconds;
    search.stop = options_.stop;
    return search;
  }

  // Layers alone, with tiles as uneven as theirs are.
  Diagnostics unfused() {
    SearchOptions search = search_options();
    search.tiles = Tiles::Uneven;
    const std::size_t layers = network_.layers.size();
    std::vector<std::unique_ptr<LayerSearch>> searches(layers);
    std::vector<MappingResult> results(layers);
    for (std::size_t k = 0; k < layers; ++k) {
      Result<LayerSearch> made = LayerSearch::create(network_.layers[k].workload, machine_[k]->machine, search);
      if (!made) return made.errors();
      searches[k] = std::make_unique<LayerSearch>(*std::move(made));
    }
    parallel_for(layers, options_.threads, [&](std::size_t k) {
      const double bound = searches[k]->first_bound();
      const SearchBudget budget(search);
      results[k] = searches[k]->conclude(searches[k]->search(searches[k]->first_step(budget)), bound);
    });
    std::vector<ShapeOfNetwork> shapes;
    for (std::size_t k = 0; k < layers; ++k) {
      if (results[k].status == Status::Infeasible)
        return {{"", 0, network_.layers[k].workload.name, "no legal mapping: " + to_string(results[k].why_infeasible)}};
      shapes.push_back({{{0, searches[k].get(), &results[k]}}, static_cast<double>(network_.layers[k].count)});
    }
    const NetworkOptimum best = search_for_network(shapes, base_->machine, search, {});
    Cost total;
    for (std::size_t k = 0; k < layers; ++k) {
      total += results[k].cost * network_.layers[k].count;
      const Breakdown ours = CostModel(network_.layers[k].workload, machine_[k]->machine).explain(results[k].mapping);
      count_actions(k, ours);
      add_parts(k, ours);
    }
    order_parts();
    take(total, best.status == Status::Optimal);
    return {};
  }

  void take(const Cost& total, bool optimal) {
    out_.our_energy = total.energy.picojoules() * base_->joules_per_pj;
    out_.our_latency = static_cast<double>(total.cycles) * base_->cycle_seconds;
    out_.optimal = optimal;
  }

  // How many of the recorded numbers of accesses the mapping has.
  void count_actions(std::size_t k, const Breakdown& ours) {
    const Workload& workload = network_.layers[k].workload;
    const Architecture& machine = machine_[k]->machine;
    for (std::size_t i = 0; i < ours.level.size(); ++i)
      for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
        const Accesses<u64>& row = ours.level[i].tensor[v].all;
        const auto bits = static_cast<double>(workload.tensors[v].word_bits.value_or(WordLength(8)));
        const std::array<std::pair<const char*, double>, 2> both{
            {{"read", static_cast<double>(row.reads)}, {"write", static_cast<double>(row.fills + row.updates)}}};
        for (const auto& [action, words] : both) {
          const auto it = case_.actions.find({workload.name, machine.levels[i].name, workload.tensors[v].name, action});
          if (it == case_.actions.end()) continue;
          ++out_.actions;
          const auto stated = action_bits_.find({machine.levels[i].name, action});
          const double theirs = it->second * (stated == action_bits_.end() ? 1 : stated->second);
          out_.equal_actions += std::abs(theirs - words * bits) <= kForgeTolerance * theirs ? 1 : 0;
        }
      }
  }

  void add_parts(std::size_t k, const Breakdown& ours) {
    const Architecture& machine = machine_[k]->machine;
    const double joules = machine_[k]->joules_per_pj * static_cast<double>(network_.layers[k].count);
    for (std::size_t i = 0; i < ours.level.size(); ++i) {
      const LevelBreakdown& level = ours.level[i];
      part(machine.levels[i].name).our_energy += (level.energy().picojoules() - level.leakage.picojoules()) * joules;
      part(kLeakage).our_energy += level.leakage.picojoules() * joules;
    }
    part(machine.compute.name).our_energy += ours.compute.energy.picojoules() * joules;
  }

  // What was recorded of them, and the order of the machine's file.
  void order_parts() {
    if (case_.energies.empty()) return out_.parts.clear();
    for (const auto& [key, energy] : case_.energies) {
      const auto& [einsum, component, action] = key;
      part(action == "leak" ? kLeakage : component).energy += energy;
    }
    std::vector<std::string> names;
    for (const KindMachine* kind : machine_) {
      for (auto level = kind->machine.levels.rbegin(); level != kind->machine.levels.rend(); ++level)
        names.push_back(level->name);
      names.push_back(kind->machine.compute.name);
    }
    const auto place = [&](const ForgePart& p) { return std::ranges::find(names, p.component) - names.begin(); };
    std::ranges::stable_sort(out_.parts, {}, place);
    std::erase_if(out_.parts, [](const ForgePart& p) {
      return std::abs(p.our_energy - p.energy) <= kForgeTolerance * std::max(p.energy, p.our_energy);
    });
  }

  ForgePart& part(const std::string& component) {
    const auto known = std::ranges::find(out_.parts, component, &ForgePart::component);
    return known != out_.parts.end() ? *known : out_.parts.emplace_back(ForgePart{component, 0, 0});
  }

  Diagnostics fused() {
    SearchOptions search = search_options();
    Network network = network_;
    const std::string& unit = base_->machine.compute.name;
    if (std::ranges::any_of(machine_, [&](const KindMachine* m) { return m->machine.compute.name != unit; })) {
      // Layers of another compute unit ride on the edges, where they cost nothing.
      Result<Network> folded = accelforge::read_workload(cascade_, case_.workload, true);
      if (!folded) return folded.errors();
      if (folded->layers.size() < network.layers.size())
        out_.notes.push_back("Einsums of one operand cost nothing here where layers are fused");
      network = *std::move(folded);
    }
    const Result<LinkGraph> graph = graph_of_network(network);
    if (!graph) return graph.errors();
    const Result<FusedOptimum> best = search_fused(*graph, base_->machine, search);
    if (!best) return best.errors();
    const double energy = best->cost.energy.picojoules() * base_->joules_per_pj;
    const double latency = static_cast<double>(best->cost.cycles) * base_->cycle_seconds;
    // The uneven tiles of layers alone may be better than what fusing even ones gains.
    if (value(energy, latency) >= value(out_.our_energy, out_.our_latency)) return {};
    take(best->cost, best->status == Status::Optimal);
    out_.parts.clear();
    for (const LinkGroup& group : best->schedule.groups) out_.groups += group.is_single() ? 0 : 1;
    return {};
  }

  double value(double energy, double latency) const { return case_.latency > 0 ? energy * latency : energy; }

  void judge() {
    // A layer's cycles are whole ones here.
    const double rounding = static_cast<double>(network_.layers.size()) * base_->cycle_seconds;
    const bool timed = case_.latency > 0;
    const bool same_energy = std::abs(out_.our_energy - case_.energy) <= kForgeTolerance * case_.energy;
    const bool same_time =
        !timed || std::abs(out_.our_latency - case_.latency) <= rounding + kForgeTolerance * case_.latency;
    const double theirs = value(case_.energy, case_.latency);
    const double ours = value(out_.our_energy, timed ? std::max(out_.our_latency - rounding, 0.0) : 0);
    out_.verdict = same_energy && same_time                 ? ForgeVerdict::Equal
                   : ours <= theirs * (1 + kForgeTolerance) ? ForgeVerdict::Below
                                                            : ForgeVerdict::Above;
  }

  const std::string& path_;
  const ForgeCase& case_;
  const ForgeOptions& options_;
  ForgeComparison out_;
  YamlNode arch_, cascade_;
  Network network_;
  std::vector<std::unique_ptr<KindMachine>> known_;
  std::vector<const KindMachine*> machine_;  // [layer]
  std::map<std::pair<std::string, std::string>, double> action_bits_;
  const KindMachine* base_ = nullptr;
};

}  // namespace

Result<std::vector<ForgeComparison>> verify_forge(const std::string& path, const ForgeOptions& options) {
  Result<std::vector<ForgeCase>> cases = read_forge_cases(path);
  if (!cases) return cases.errors();
  const std::vector<std::string> ids = mapped(*cases, &ForgeCase::id);
  std::erase_if(*cases, [&](const ForgeCase& one) {
    return (options.id && one.id != *options.id) || (options.group && one.machine != *options.group);
  });
  if (cases->empty())
    return Diagnostic{path, 0, "",
                      options.id ? fmt::format("has no case '{}'{}", *options.id, did_you_mean(*options.id, ids))
                                 : fmt::format("has no case of machine '{}'", options.group.value_or(""))};
  if (options.limit && cases->size() > *options.limit) cases->resize(*options.limit);
  std::vector<ForgeComparison> out;
  for (const ForgeCase& one : *cases) {
    if (options.progress) options.progress(out.size(), cases->size());
    if (options.stop != nullptr && *options.stop) {
      ForgeComparison skipped;
      skipped.id = one.id, skipped.machine = one.machine, skipped.fused = one.fused;
      out.push_back(std::move(skipped));
      continue;
    }
    out.push_back(ForgeSearch(path, one, options).run());
  }
  if (options.progress) options.progress(out.size(), cases->size());
  return out;
}

}  // namespace heliolite
