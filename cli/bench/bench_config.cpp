#include "cli/bench/bench_config.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "engine/base/file_bytes.h"
#include "engine/base/text.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/search/map.h"
#include "engine/search/scheduling/fused_network.h"
#include "engine/space/constraint_notes.h"
#include "engine/sweep/sweep_yaml.h"
#include "engine/sweep/totals.h"

namespace heliolite::cli {

void shorten(BenchSuite& suite, const ShortForm& form) {
  if (form.layers && *form.layers < suite.layers.size()) {
    std::vector<BenchLayer> chosen;
    for (std::size_t k = 0; k < *form.layers; ++k)
      chosen.push_back(std::move(suite.layers[k * suite.layers.size() / *form.layers]));
    suite.layers = std::move(chosen);
  }
  if (!form.seconds) return;
  for (BenchStrategy& s : suite.strategies)
    s.options.budget_seconds = std::min(*form.seconds, s.options.budget_seconds.value_or(*form.seconds));
}

namespace {

namespace fs = std::filesystem;

constexpr double kMaxAblationSeconds = 1e5;

class SuiteReader {
 public:
  SuiteReader(const std::string& path, std::span<const GivenOption> instead, const ReadOptions& reading)
      : path_(path), instead_(instead), reading_(reading) {}

  Result<BenchConfig> run(const YamlNode& root) {
    FieldReader reader(root, bench_file_fields(), errors_);
    const auto bench = reader.child("bench"), ablation = reader.child("ablation"),
               co_search = reader.child("co_search");
    reader.finish();
    BenchConfig out;
    const int suites = bench.has_value() + ablation.has_value() + co_search.has_value();
    if (reader.valid() && suites != 1)
      reader.error(
          fmt::format("must have one of the keys 'bench' (mappers to compare), 'ablation' (rules added one by "
                      "one) and 'co_search' (memories searched together), has {}",
                      suites == 0 ? "none" : "more"));
    if (bench) out.suite = suite(*bench);
    if (ablation) out.ablation = ablation_suite(*ablation);
    if (co_search) out.co_search = co_search_suite(*co_search);
    if (!errors_.empty()) return std::move(errors_);
    out.notes = std::move(notes_);
    out.layers_alone = out.co_search ? layers_alone_note(out.co_search->sweep) : std::move(layers_alone_);
    return out;
  }

 private:
  void append(const Diagnostics& errors) { errors_.insert(errors_.end(), errors.begin(), errors.end()); }

  BenchSuite suite(const YamlNode& node) {
    BenchSuite out;
    FieldReader reader(node, bench_suite_fields(), errors_);
    out.name = name_of(reader, node);
    const AskedObjective asked = objective(reader);
    out.objective = asked.objective, out.network = asked.network;
    out.strategies = strategies(reader);
    out.machines = machines(reader);
    refuse_of_networks(reader, out);
    const bool free = std::ranges::all_of(out.strategies, [](const BenchStrategy& s) { return s.options.free; });
    const bool fused = std::ranges::any_of(out.strategies, &BenchStrategy::fuse);
    out.layers = layers(reader, out.machines, {.free = free}, out.network, fused);
    if (const auto training = reader.child("training")) out.training = this->training(*training);
    for (const BenchStrategy& s : out.strategies)
      if (s.trained && out.training.machines.empty())
        reader.error(fmt::format("strategy '{}' is trained, but there is no 'training' with machines", s.label));
    for (const YamlNode& file : elements(reader.child("external"))) add_external(file, out);
    for (const YamlNode& node : elements(reader.child("published")))
      out.published.push_back(published_claim(node, out, errors_));
    if (const auto n = reader.integer("repeat")) out.repeat = static_cast<int>(*n);
    if (const auto folder = reader.string("proofs")) out.proofs = named_file(path_, *folder, true);
    reader.finish();
    return out;
  }

  // What the objective of networks, and the strategies that fuse their layers, do not go with.
  static void refuse_of_networks(FieldReader& reader, const BenchSuite& suite) {
    const AskedObjective asked{suite.objective, suite.network};
    for (const BenchStrategy& s : suite.strategies) {
      const auto refuse = [&](const std::string& why) { reader.error(fmt::format("strategy '{}' {}", s.label, why)); };
      if (!suite.network) {
        if (s.fuse) refuse("fuses layers of a network: objective must be network_edp, network_ed2p or network_edap");
        continue;
      }
      if (s.mapper)
        refuse(
            fmt::format("is a command that maps one layer, {} is of whole networks: it must be left out "
                        "or the objective {}",
                        name(asked), name(asked.objective)));
      SearchOptions options = s.options;
      options.objective = asked.objective, options.network = true;
      if (!s.fuse)
        for (const Diagnostic& error : validate_question(options)) refuse(error.field + ": " + error.message);
      for (const BenchMachine& machine : suite.machines)
        if (s.fuse)
          for (const Diagnostic& error : unfusable(options, machine.architecture))
            refuse(error.field + ": " + error.message);
    }
  }

  BenchTraining training(const YamlNode& node) {
    BenchTraining out;
    FieldReader reader(node, training_fields(), errors_);
    out.machines = machines(reader);
    SearchOptions limited;
    if (const auto n = reader.child("evaluations")) read_search_option(*n, "evaluations", limited, errors_);
    out.evaluations = limited.budget_evaluations.value_or(out.evaluations);
    reader.finish();
    return out;
  }

  AblationSuite ablation_suite(const YamlNode& node) {
    AblationSuite out;
    FieldReader reader(node, ablation_fields(), errors_);
    out.name = name_of(reader, node);
    const AskedObjective asked = objective(reader);
    out.objective = asked.objective;
    for (const Diagnostic& error : of_layers_only(asked, "an ablation")) reader.error(error.message);
    out.machines = machines(reader);
    out.layers = layers(reader, out.machines, {});
    if (const auto budget = reader.child("budget")) {
      SearchOptions limited;
      read_search_option(*budget, "budget", limited, errors_);
      out.budget_seconds = limited.budget_seconds.value_or(out.budget_seconds);
      if (out.budget_seconds > kMaxAblationSeconds)
        errors_.push_back(budget->error(
            fmt::format("budget = {}, must be at most {:g} seconds", budget->text(), kMaxAblationSeconds)));
    }
    reader.finish();
    return out;
  }

  std::optional<CoSearchSuite> co_search_suite(const YamlNode& node) {
    CoSearchSuite out;
    FieldReader reader(node, co_search_fields(), errors_);
    out.name = name_of(reader, node);
    const auto file = reader.string("sweep");
    for (const YamlNode& node : elements(reader.child("strategies"))) {
      const auto strategy = parse_strategy(node.text());
      if (strategy && searches_machines_together(*strategy)) out.strategies.push_back(*strategy);
      else
        errors_.push_back(node.error(fmt::format("strategies = {}, must be sunstone, thesis or exact", node.text())));
    }
    if (out.strategies.empty()) out.strategies = {Strategy::Sunstone, Strategy::Exact};
    reader.finish();
    if (!file) return std::nullopt;
    auto sweep = load_sweep(named_file(path_, *file, true),
                            {.options = {instead_.begin(), instead_.end()}, .reading = reading_});
    if (!sweep) {
      append(sweep.errors());
      errors_.push_back(reader.child("sweep")->error(fmt::format("sweep '{}' cannot be read", *file)));
      return std::nullopt;
    }
    out.sweep = *std::move(sweep);
    return out;
  }

  static std::string name_of(FieldReader& reader, const YamlNode& node) {
    return reader.string("name").value_or(fs::path(node.file()).stem().string());
  }

  AskedObjective objective(FieldReader& reader) {
    SearchOptions options;
    if (const auto node = reader.child("objective")) read_search_option(*node, "objective", options, errors_);
    for (const GivenOption& given : instead_) given.option->set(options, given.value);
    return asked_objective(options);
  }

  // Complains about a second one of the same name.
  void unique(std::set<std::string>& seen, const std::string& name, const YamlNode& node, const char* advice) {
    if (!seen.insert(name).second) errors_.push_back(node.error(fmt::format("'{}' is there already{}", name, advice)));
  }

  std::vector<BenchStrategy> strategies(FieldReader& reader) {
    std::vector<BenchStrategy> out;
    std::set<std::string> seen;
    const auto list = reader.child("strategies");
    for (const YamlNode& node : elements(list)) {
      BenchStrategy s = strategy(node);
      unique(seen, s.label, node, "; tell them apart with 'label'");
      out.push_back(std::move(s));
    }
    if (list && out.empty()) errors_.push_back(list->error("must name at least one strategy"));
    return out;
  }

  BenchStrategy strategy(const YamlNode& node) {
    BenchStrategy out;
    if (node.is_scalar()) {
      out.label = node.text();
      read_search_option(node, "strategy", out.options, errors_);
      return out;
    }
    if (node.is_map() && node.has("command")) return read_command_mapper(node, path_, errors_);
    FieldReader reader(node, bench_strategy_fields(), errors_);
    if (const auto name = reader.child("name")) read_search_option(*name, "strategy", out.options, errors_);
    out.label = reader.string("label").value_or(std::string(name(out.options.strategy)));
    out.trained = reader.boolean("trained").value_or(false);
    out.fuse = reader.boolean("fuse").value_or(false);
    read_search_options(reader, out.options, errors_, kNotOfStrategies);
    reader.finish();
    if (out.trained && out.options.strategy != Strategy::Bayes)
      reader.error(fmt::format("trained is for strategy bayes, {} learns nothing", name(out.options.strategy)));
    return out;
  }

  // What a scalar, or the key `key` of a map with an optional name, says; empty after complaining.
  struct Named {
    std::string what, name;
    YamlNode node;
  };
  std::optional<Named> named(const YamlNode& node, const char* key, const FieldTable& fields) {
    if (node.is_scalar()) return Named{node.text(), "", node};
    FieldReader reader(node, fields, errors_);
    const auto what = reader.string(key);
    const std::string name = reader.string("name").value_or("");
    reader.finish();
    if (!what) return std::nullopt;
    return Named{*what, name, node};
  }

  std::vector<BenchMachine> machines(FieldReader& reader) {
    std::vector<BenchMachine> out;
    std::set<std::string> seen;
    const auto list = reader.child("machines");
    for (const YamlNode& node : elements(list)) {
      const auto entry = named(node, "machine", bench_machine_fields());
      if (!entry) continue;
      const bool path_like = entry->what.ends_with(".yaml") || entry->what.ends_with(".yml");
      Result<Architecture> machine = load_architecture(named_file(path_, entry->what, path_like), reading_);
      if (!machine) {
        append(machine.errors());
        errors_.push_back(node.error(fmt::format("machine '{}' cannot be read", entry->what)));
        continue;
      }
      notes_.insert(notes_.end(), machine->notes.begin(), machine->notes.end());
      const std::string name = entry->name.empty() ? machine->name : entry->name;
      unique(seen, name, node, "; give it another 'name'");
      out.push_back({name, *std::move(machine)});
    }
    if (list && elements(list).empty()) errors_.push_back(list->error("must name at least one machine"));
    return out;
  }

  // `lifted`: what of the machines' constraints does not hold.
  // `whole`: networks stay as they are, in place of their layers; `fused`: with their edges.
  std::vector<BenchLayer> layers(FieldReader& reader, const std::vector<BenchMachine>& machines, MapspaceOptions lifted,
                                 bool whole = false, bool fused = false) {
    std::vector<BenchLayer> out;
    std::set<std::string> seen;
    const auto list = reader.child("workloads");
    for (const YamlNode& node : elements(list)) {
      const auto entry = named(node, "workload", bench_workload_fields());
      if (!entry) continue;
      const bool path_like =
          entry->what.find(".yaml") != std::string::npos || entry->what.find(".onnx") != std::string::npos;
      const std::string what = named_file(path_, entry->what, path_like);
      Result<Network> network = load_network(what, reading_, fused ? Wanted::Edges : Wanted::Shapes);
      if (!network) {
        append(network.errors());
        errors_.push_back(node.error(fmt::format("workload '{}' cannot be read", entry->what)));
        continue;
      }
      for (const BenchMachine& machine : machines) {
        fit_products(*network, machine.architecture);
        for (std::string& note : constraint_notes(*network, machine.architecture, lifted))
          network->notes.push_back(std::move(note));
      }
      notes_.insert(notes_.end(), network->notes.begin(), network->notes.end());
      const bool file = what != entry->what;
      const std::string name = !entry->name.empty() ? entry->name : file ? network->name : entry->what;
      if (std::string alone = layers_alone_note(*network, kOutermostMemory); !alone.empty() && !fused)
        layers_alone_ = alone;
      if (whole) {
        unique(seen, name, node, "; give it another 'name'");
        out.push_back({name, *std::move(network)});
        continue;
      }
      for (const Layer& layer : network->layers) {
        const std::string full = network->layers.size() == 1 ? name : name + "/" + layer.workload.name;
        unique(seen, full, node, "; give it another 'name'");
        out.push_back({full, {full, {{layer.workload, 1}}}});
      }
    }
    if (list && elements(list).empty()) errors_.push_back(list->error("must name at least one workload"));
    return out;
  }

  void add_external(const YamlNode& node, BenchSuite& out) {
    if (!node.is_scalar()) return errors_.push_back(node.error("external must be a file or a list of files"));
    const auto results = load_external_results(named_file(path_, node.text(), true), out.objective);
    if (results) {
      out.external.insert(out.external.end(), results->begin(), results->end());
      return;
    }
    append(results.errors());
    errors_.push_back(node.error(fmt::format("external table '{}' cannot be read", node.text())));
  }

  std::string path_;
  std::span<const GivenOption> instead_;  // options that replace what the file says
  const ReadOptions& reading_;            // of machines and workloads
  Diagnostics errors_;
  std::vector<std::string> notes_;
  std::string layers_alone_;
};

}  // namespace

Result<BenchConfig> load_bench_config(const std::string& path, std::span<const GivenOption> instead,
                                      const ReadOptions& reading) {
  const Result<YamlNode> root = YamlNode::load_file(path);
  if (!root) return root.errors();
  const ReadOptions shared = for_several(reading);
  Result<BenchConfig> config = SuiteReader(path, instead, shared).run(*root);
  if (!config || reading.used_models) return config;
  if (Diagnostics unused = unused_model_options(shared); !unused.empty()) return unused;
  return config;
}

}  // namespace heliolite::cli
