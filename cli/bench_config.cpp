#include "cli/bench_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "arch/load.h"
#include "cli/bench_external.h"
#include "cli/command.h"
#include "engine/base/text.h"
#include "engine/base/yaml_node.h"
#include "workloads/load.h"

namespace heliolite::cli {
namespace {

namespace fs = std::filesystem;

constexpr i64 kMaxRepeat = 1000;
constexpr double kMaxAblationSeconds = 1e5;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return path.string().find('\0') == std::string::npos && fs::is_regular_file(path, ignored);
}

// The elements of a list, or the one value.
std::vector<YamlNode> elements(const std::optional<YamlNode>& node) {
  std::vector<YamlNode> out;
  if (!node) return out;
  if (!node->is_sequence()) return {*node};
  for (std::size_t i = 0; i < node->size(); ++i) out.push_back(node->at(i));
  return out;
}

class Reader {
 public:
  Reader(const std::string& path, std::optional<Objective> objective)
      : folder_(fs::path(path).parent_path()), objective_(objective) {}

  Result<BenchConfig> run(const YamlNode& root) {
    MapReader reader(root, errors_);
    const auto bench = reader.child("bench"), ablation = reader.child("ablation");
    reader.finish();
    BenchConfig out;
    if (reader.valid() && bench.has_value() == ablation.has_value())
      reader.error(bench ? "has 'bench' and 'ablation', must have one of the two"
                         : "missing key 'bench' (mappers to compare) or 'ablation' (rules added one by one)");
    if (bench) out.suite = suite(*bench);
    if (ablation) out.ablation = ablation_suite(*ablation);
    if (!errors_.empty()) return std::move(errors_);
    return out;
  }

 private:
  void append(const Diagnostics& errors) { errors_.insert(errors_.end(), errors.begin(), errors.end()); }

  BenchSuite suite(const YamlNode& node) {
    BenchSuite out;
    MapReader reader(node, errors_);
    out.name = name_of(reader, node);
    out.objective = objective(reader);
    out.strategies = strategies(reader);
    out.machines = machines(reader);
    out.layers = layers(reader);
    for (const YamlNode& file : elements(reader.child("external"))) add_external(file, out);
    if (const auto n = reader.integer("repeat", 1, kMaxRepeat)) out.repeat = static_cast<int>(*n);
    reader.finish();
    return out;
  }

  AblationSuite ablation_suite(const YamlNode& node) {
    AblationSuite out;
    MapReader reader(node, errors_);
    out.name = name_of(reader, node);
    out.objective = objective(reader);
    out.machines = machines(reader);
    out.layers = layers(reader);
    if (const auto s = budget(reader, kMaxAblationSeconds)) out.budget_seconds = *s;
    reader.finish();
    return out;
  }

  static std::string name_of(MapReader& reader, const YamlNode& node) {
    return reader.string("name").value_or(fs::path(node.file()).stem().string());
  }

  Objective objective(MapReader& reader) const {
    const auto word = reader.choice("objective", {"energy", "delay", "edp", "ed2p"});
    return objective_ ? *objective_ : word ? *parse_objective(*word) : Objective::Edp;
  }

  std::optional<double> budget(MapReader& reader, double most) {
    const auto seconds = reader.number("budget", 0, most);
    if (!seconds || *seconds > 0) return seconds;
    errors_.push_back(reader.child("budget")->error("budget = 0, must be seconds above 0"));
    return std::nullopt;
  }

  // Complains about a second one of the same name.
  void unique(std::set<std::string>& seen, const std::string& name, const YamlNode& node, const char* advice) {
    if (!seen.insert(name).second) errors_.push_back(node.error(fmt::format("'{}' is there already{}", name, advice)));
  }

  std::vector<BenchStrategy> strategies(MapReader& reader) {
    std::vector<BenchStrategy> out;
    std::set<std::string> seen;
    const auto list = reader.required_child("strategies");
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
      out.label = out.options.strategy = node.text();
      check_strategy(node, out.options.strategy);
      return out;
    }
    MapReader reader(node, errors_);
    if (const auto name = reader.required_string("name")) {
      out.options.strategy = *name;
      check_strategy(*reader.child("name"), *name);
    }
    out.label = reader.string("label").value_or(out.options.strategy);
    out.options.budget_seconds = budget(reader, kMaxBudgetSeconds);
    const auto most = static_cast<i64>(kMaxCount);
    if (const auto n = reader.integer("evaluations", 1, most)) out.options.budget_evaluations = static_cast<u64>(*n);
    if (const auto n = reader.integer("seed", 0, most)) out.options.seed = static_cast<u64>(*n);
    if (const auto n = reader.integer("victory", 1, most)) out.options.victory = static_cast<u64>(*n);
    out.options.imperfect = reader.boolean("imperfect").value_or(false);
    out.options.free = reader.boolean("free").value_or(false);
    for (const std::string& word : reader.words("without").value_or(std::vector<std::string>{})) {
      if (const auto rule = parse_rule(word)) {
        out.options.rules.set(*rule, false);
      } else {
        errors_.push_back(reader.child("without")->error(fmt::format(
            "'{}' is not a rule{}; rules: {}", word, did_you_mean(word, rule_names()), join(rule_names()))));
      }
    }
    reader.finish();
    return out;
  }

  void check_strategy(const YamlNode& node, const std::string& name) {
    const std::vector<std::string> known = strategy_names();
    if (std::ranges::find(known, name) != known.end()) return;
    errors_.push_back(node.error(
        fmt::format("'{}' is not a strategy{}; strategies: {}", name, did_you_mean(name, known), join(known))));
  }

  // What a scalar, or the key `key` of a map with an optional name, says; empty after complaining.
  struct Named {
    std::string what, name;
    YamlNode node;
  };
  std::optional<Named> named(const YamlNode& node, const char* key) {
    if (node.is_scalar()) return Named{node.text(), "", node};
    MapReader reader(node, errors_);
    const auto what = reader.required_string(key);
    const std::string name = reader.string("name").value_or("");
    reader.finish();
    if (!what) return std::nullopt;
    return Named{*what, name, node};
  }

  // A file beside the configuration, else the words as they are.
  std::string beside(const std::string& what, bool path_like) const {
    const fs::path joined = folder_ / what.substr(0, what.rfind('@'));
    if (is_file(joined) || (path_like && !fs::path(what).is_absolute())) return (folder_ / what).string();
    return what;
  }

  std::vector<BenchMachine> machines(MapReader& reader) {
    std::vector<BenchMachine> out;
    std::set<std::string> seen;
    const auto list = reader.required_child("machines");
    for (const YamlNode& node : elements(list)) {
      const auto entry = named(node, "machine");
      if (!entry) continue;
      const bool path_like = entry->what.ends_with(".yaml") || entry->what.ends_with(".yml");
      Result<Architecture> machine = load_architecture(beside(entry->what, path_like));
      if (!machine) {
        append(machine.errors());
        errors_.push_back(node.error(fmt::format("machine '{}' cannot be read", entry->what)));
        continue;
      }
      const std::string name = entry->name.empty() ? machine->name : entry->name;
      unique(seen, name, node, "; give it another 'name'");
      out.push_back({name, *std::move(machine)});
    }
    if (list && elements(list).empty()) errors_.push_back(list->error("must name at least one machine"));
    return out;
  }

  std::vector<BenchLayer> layers(MapReader& reader) {
    std::vector<BenchLayer> out;
    std::set<std::string> seen;
    const auto list = reader.required_child("workloads");
    for (const YamlNode& node : elements(list)) {
      const auto entry = named(node, "workload");
      if (!entry) continue;
      const bool path_like = entry->what.find(".yaml") != std::string::npos;
      const std::string what = beside(entry->what, path_like);
      Result<Network> network = load_network(what);
      if (!network) {
        append(network.errors());
        errors_.push_back(node.error(fmt::format("workload '{}' cannot be read", entry->what)));
        continue;
      }
      const bool file = what != entry->what;
      const std::string name = !entry->name.empty() ? entry->name : file ? network->name : entry->what;
      for (const Layer& layer : network->layers) {
        const std::string full = network->layers.size() == 1 ? name : name + "/" + layer.workload.name;
        unique(seen, full, node, "; give it another 'name'");
        out.push_back({full, layer.workload});
      }
    }
    if (list && elements(list).empty()) errors_.push_back(list->error("must name at least one workload"));
    return out;
  }

  void add_external(const YamlNode& node, BenchSuite& out) {
    if (!node.is_scalar()) return errors_.push_back(node.error("external must be a file or a list of files"));
    const auto results = load_external_results((folder_ / node.text()).string(), out.objective);
    if (results) {
      out.external.insert(out.external.end(), results->begin(), results->end());
      return;
    }
    append(results.errors());
    errors_.push_back(node.error(fmt::format("external table '{}' cannot be read", node.text())));
  }

  fs::path folder_;
  std::optional<Objective> objective_;  // instead of the file's
  Diagnostics errors_;
};

}  // namespace

Result<BenchConfig> load_bench_config(const std::string& path, std::optional<Objective> objective) {
  const Result<YamlNode> root = YamlNode::load_file(path);
  if (!root) return root.errors();
  return Reader(path, objective).run(*root);
}

}  // namespace heliolite::cli
