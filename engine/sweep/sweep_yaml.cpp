#include "engine/sweep/sweep_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <span>
#include <utility>

#include "arch/check.h"
#include "engine/base/file_bytes.h"
#include "engine/base/named.h"
#include "engine/base/text.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/space/constraint_notes.h"
#include "engine/sweep/design_points.h"

namespace heliolite {
namespace {

constexpr std::size_t kMaxLayers = 100'000;
constexpr std::size_t kMaxConstraints = 1000;
constexpr std::size_t kMaxConstraintLength = 2000;
constexpr std::size_t kMaxNameLength = 60;

// A parameter's name stands in expressions, tables and columns.
bool is_identifier(const std::string& name) {
  const auto good = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return !name.empty() && name.size() <= kMaxNameLength && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::ranges::all_of(name, good);
}

class Reader {
 public:
  Reader(const std::string& path, const SweepOverrides& overrides)
      : path_(path), overrides_(overrides), reading_(for_several(overrides.reading)) {}

  Result<SweepSpec> run(const YamlNode& root, std::string text) {
    out_.file = path_;
    out_.text = std::move(text);
    out_.reading = overrides_.reading;
    FieldReader document(root, sweep_file_fields(), errors_);
    const std::optional<YamlNode> node = document.child("sweep");
    document.finish();
    if (!node) return std::move(errors_);
    FieldReader reader(*node, sweep_fields(), errors_);
    out_.name = reader.string("name").value_or(std::filesystem::path(path_).stem().string());
    if (reader.valid() && (out_.name.empty() || out_.name.find('/') != std::string::npos))
      reader.error(fmt::format("name = '{}', must be a name for files: not empty, without '/'", out_.name));
    const bool machine_read = read_machine(reader);
    read_workloads(reader);
    read_question(reader);
    const std::optional<YamlNode> parameters = reader.child("parameters");
    const std::optional<YamlNode> constraints = reader.child("constraints");
    reader.finish();
    if (machine_read && parameters) read_parameters(*parameters);
    if (machine_read && constraints) read_constraints(*constraints);
    if (errors_.empty() && !overrides_.reading.used_models) append(unused_model_options(reading_));
    if (!errors_.empty()) return std::move(errors_);
    choose_delay_unit();
    for (Diagnostic& warning : stated_cost_warnings(out_)) out_.warnings.push_back(std::move(warning));
    note_constraints(*node);
    note_rounded_prices(*node);
    return std::move(out_);
  }

 private:
  void append(const Diagnostics& errors) { errors_.insert(errors_.end(), errors.begin(), errors.end()); }

  bool read_machine(FieldReader& reader) {
    const std::optional<std::string> what = reader.string("machine");
    if (!what) return false;
    std::vector<std::string> files;  // one, or several of Timeloop's
    for (const std::string& part : split(*what, ','))
      files.push_back(named_file(path_, part, part.ends_with(".yaml") || part.ends_with(".yml")));
    Result<ArchitectureSpec> machine =
        load_architecture_spec(files.empty() ? *what : fmt::format("{}", fmt::join(files, ",")), overrides_.reading);
    Diagnostics problems;
    if (machine) {
      out_.machine = *std::move(machine);
      for (const std::string& note : out_.machine.notes) out_.warnings.push_back(reader.child("machine")->error(note));
      if (overrides_.reading.peer_channel) out_.machine.peer_channel = overrides_.reading.peer_channel;
      const Result<ReferenceTables> tables = load_reference_tables(out_.machine, overrides_.reading);
      if (tables) out_.tables = *tables;
      else problems = tables.errors();
      if (Result<Architecture> base = resolve(out_.machine, out_.tables)) base_ = *std::move(base);
    } else {
      problems = machine.errors();
    }
    if (problems.empty()) return true;
    append(problems);
    errors_.push_back(reader.child("machine")->error(fmt::format("machine '{}' cannot be read", *what)));
    return false;
  }

  void read_workloads(FieldReader& reader) {
    const std::optional<YamlNode> list = reader.child("workloads");
    for (const YamlNode& node : elements(list)) read_workload(node);
    if (list && elements(list).empty()) errors_.push_back(list->error("must name at least one workload"));
    if (list && out_.layers.size() > kMaxLayers)
      errors_.push_back(list->error(fmt::format("{} layers, at most {} are possible", out_.layers.size(), kMaxLayers)));
  }

  // A text as `-w` takes it, or {workload, weight, layers}.
  void read_workload(const YamlNode& node) {
    std::string what = node.text();
    double weight = 1;
    std::optional<std::vector<std::string>> wanted;
    if (!node.is_scalar()) {
      FieldReader reader(node, sweep_workload_fields(), errors_);
      what = reader.string("workload").value_or("");
      weight = reader.number("weight").value_or(1);
      wanted = reader.words("layers");
      reader.finish();
      if (reader.valid() && weight == 0) reader.error("weight = 0, must be above 0");
      if (what.empty()) return;
    }
    const std::string file =
        named_file(path_, what, what.find(".yaml") != std::string::npos || what.find(".onnx") != std::string::npos);
    Result<Network> network = load_network(file, reading_);
    if (!network) {
      append(network.errors());
      const bool cut = what.find('=') != std::string::npos && what.find_first_of(":[") == std::string::npos;
      errors_.push_back(node.error(
          fmt::format("workload '{}' cannot be read{}", what,
                      cut ? ": in [ ] a comma ends an element; write a text that has commas between quotes" : "")));
      return;
    }
    if (base_) fit_products(*network, *base_);
    for (const std::string& note : network->notes) out_.warnings.push_back(node.error(note));
    if (wanted) keep_layers(*network, *wanted, node);
    const std::string name = file == what ? what : network->name;
    for (Layer& layer : network->layers) out_.layers.push_back({name, weight, std::move(layer)});
  }

  // How the machine's constraints are read for the layers, which its parameters hardly change.
  void note_constraints(const YamlNode& node) {
    if (!base_) return;
    Network all{out_.name, {}};
    for (const SweepLayer& layer : out_.layers) all.layers.push_back(layer.layer);
    const MapspaceOptions lifted{.free = out_.options.free, .open = out_.options.open};
    for (const std::string& note : constraint_notes(all, *base_, lifted)) out_.warnings.push_back(node.error(note));
  }

  // Which prices of its machines counting rounds. Settings of different parameters do not overlap, so the machines that
  // differ from the first in one parameter have all prices.
  void note_rounded_prices(const YamlNode& node) {
    constexpr std::size_t kTold = 3;  // one by one
    std::set<std::string> notes;
    const DesignPoints points(out_);
    const auto look = [&](u64 id) {
      const Result<Architecture> machine = points.machine(id);
      const std::optional<std::string> note = machine ? rounded_prices(*machine) : std::nullopt;
      if (note && notes.insert(*note).second && notes.size() <= kTold) out_.warnings.push_back(node.error(*note));
    };
    look(0);
    for (std::size_t p = 0; p < out_.parameters.size(); ++p)
      for (std::size_t k = 1; k < out_.parameters[p].values.size(); ++k) look(points.off_origin(p, k));
    if (notes.size() > kTold)
      out_.warnings.push_back(
          node.error(fmt::format("and {} more machines whose energies are rounded otherwise", notes.size() - kTold)));
  }

  void keep_layers(Network& network, const std::vector<std::string>& wanted, const YamlNode& node) {
    std::vector<std::string> known;
    for (const Layer& layer : network.layers) known.push_back(layer.workload.name);
    for (const std::string& name : wanted)
      if (std::ranges::find(known, name) == known.end())
        errors_.push_back(node.error(fmt::format("{} has no layer {}{}; it has {}", network.name, name,
                                                 did_you_mean(name, known), join(known))));
    if (wanted.empty()) errors_.push_back(node.error("layers must name at least one layer"));
    std::erase_if(network.layers,
                  [&](const Layer& layer) { return std::ranges::find(wanted, layer.workload.name) == wanted.end(); });
  }

  // Objective, strategy, budgets, goal.
  void read_question(FieldReader& reader) {
    SearchOptions& options = out_.options;
    read_search_options(reader, options, errors_, kNotOfSweeps);
    if (const auto word = reader.choice("goal")) out_.goal = *find_named<SweepGoal>(*word);
    if (const auto word = reader.choice("rank")) out_.rank = *find_named<SweepRank>(*word);
    if (const auto words = reader.words("front")) read_front(reader, *words);
    if (const auto word = reader.choice("mean")) out_.mean = *find_named<SweepMean>(*word);
    if (const std::optional<YamlNode> limits = reader.child("limits")) read_limits(*limits);
    const std::optional<YamlNode> explore = reader.child("explore");
    if (explore) read_explore(*explore);
    if (const auto seconds = reader.number("sweep_budget")) out_.budget_seconds = seconds;
    if (const auto n = reader.integer("sample")) out_.sample = static_cast<u64>(*n);
    if (const auto n = reader.integer("pilots")) out_.pilots = static_cast<u64>(*n);
    for (const GivenOption& given : overrides_.options) given.option->set(options, given.value);
    if (overrides_.goal) out_.goal = *overrides_.goal;
    if (overrides_.rank) out_.rank = *overrides_.rank;
    if (overrides_.sample) out_.sample = overrides_.sample;
    if (overrides_.explore_points) out_.explore.points = *overrides_.explore_points;
    if (overrides_.sweep_budget) out_.budget_seconds = overrides_.sweep_budget;
    for (std::string& why : contradictions(out_)) reader.error(std::move(why));
    // The searches for mappings are those of our model.
    out_.evaluator = std::exchange(options.evaluator, {});
    if (explore && out_.goal != SweepGoal::Explore)
      out_.warnings.push_back(explore->error(
          fmt::format("explore is of goal explore, and the goal is {}: it is not looked at", name(out_.goal))));
  }

  void read_explore(const YamlNode& node) {
    FieldReader reader(node, sweep_explore_fields(), errors_);
    if (const auto word = reader.choice("for")) out_.explore.aim = *find_named<ExploreFor>(*word);
    if (const auto n = reader.integer("points")) out_.explore.points = static_cast<u64>(*n);
    if (const auto n = reader.integer("first")) out_.explore.first = static_cast<u64>(*n);
    if (const auto n = reader.integer("batch")) out_.explore.batch = static_cast<u64>(*n);
    reader.finish();
  }

  void read_limits(const YamlNode& node) {
    FieldReader reader(node, sweep_limit_fields(), errors_);
    const auto read = [&](const char* key) {
      const std::optional<double> most = reader.number(key);
      if (most && *most == 0) reader.error(fmt::format("{} = 0, must be above 0", key));
      return most;
    };
    out_.limits = {read("energy"), read("delay"), read("power")};
    reader.finish();
    const auto has = [&](const char* key) { return node.find(key).has_value(); };
    if (reader.valid() && !has("energy") && !has("delay") && !has("power"))
      reader.error("limits must have energy, delay or power");
  }

  void read_front(FieldReader& reader, const std::vector<std::string>& words) {
    std::vector<std::string> sorted;
    for (const std::string& word : words) sorted.push_back(lower(word));
    std::ranges::sort(sorted);
    out_.area_on_front = sorted.size() != 2;
    const std::vector<std::string> two{"delay", "energy"}, three{"area", "delay", "energy"};
    if (sorted != two && sorted != three)
      reader.error(fmt::format("front = {}, must be [energy, delay, area] or [energy, delay]", join(words)));
  }

  void read_parameters(const YamlNode& node) {
    if (!node.is_map() || node.size() == 0)
      return errors_.push_back(node.error("parameters must be a map of names, each with what it sets and its values"));
    if (node.size() > kMaxParameters)
      return errors_.push_back(
          node.error(fmt::format("{} parameters, at most {} are possible", node.size(), kMaxParameters)));
    const std::vector<std::string> derived = derived_names(out_.machine);
    for (const std::string& name : node.keys()) {
      const YamlNode parameter = *node.find(name);
      if (!is_identifier(name))
        errors_.push_back(parameter.error(
            fmt::format("'{}' must be a name of letters, digits and '_', not starting with a digit, at most {} long",
                        name, kMaxNameLength)));
      else if (Expression::reserved(name) || std::ranges::find(derived, name) != derived.end())
        errors_.push_back(
            parameter.error(fmt::format("{} means something else in constraints; choose another name", name)));
      else if (column_names().contains(lower(name)))
        errors_.push_back(
            parameter.error(fmt::format("{} is the name of a column of the results; choose another name than {}", name,
                                        join(std::vector<std::string>(column_names().begin(), column_names().end())))));
      out_.parameters.push_back(read_parameter(name, parameter, out_.machine, errors_));
      refuse_overlaps(parameter);
    }
    double points = 1;
    for (const SweepParameter& parameter : out_.parameters) points *= static_cast<double>(parameter.values.size());
    if (points > static_cast<double>(kMaxGridPoints))
      errors_.push_back(
          node.error(fmt::format("a grid of {:.3g} points, at most {} are possible", points, kMaxGridPoints)));
  }

  // Seconds where every machine states a clock. A machine with a technology has one (arch/architecture_spec.cpp).
  // Values of different parameters combine freely: all machines have a clock if the base has one or some parameter
  // always sets it.
  void choose_delay_unit() {
    const auto sets_clock = [](const ParameterValue& value) {
      return std::ranges::any_of(value.settings, [](const Setting& setting) {
        return setting.field.level.empty() && (setting.field.key == "cycle_ns" || setting.field.key == "technology_nm");
      });
    };
    const auto always = [&](const SweepParameter& p) { return std::ranges::all_of(p.values, sets_clock); };
    const auto sometimes = [&](const SweepParameter& p) { return std::ranges::any_of(p.values, sets_clock); };
    out_.seconds = out_.machine.cycle_ns || out_.machine.technology_nm || std::ranges::any_of(out_.parameters, always);
    const auto mixed = std::ranges::find_if(out_.parameters, sometimes);
    if (!out_.seconds && mixed != out_.parameters.end())
      out_.warnings.push_back(
          mixed->place.error("some machines state the length of a cycle (cycle_ns) and some do not: delays of all are "
                             "compared in cycles"));
  }

  // Two parameters must not set the same field.
  void refuse_overlaps(const YamlNode& at) {
    const SweepParameter& last = out_.parameters.back();
    for (const SweepParameter& other : std::span(out_.parameters).first(out_.parameters.size() - 1))
      for (const FieldPath& field : last.fields)
        for (const FieldPath& taken : other.fields)
          if (overlap(field, taken))
            errors_.push_back(at.error(fmt::format("sets {}, and {} sets {}", field.text, other.name, taken.text)));
  }

  void read_constraints(const YamlNode& node) {
    const std::vector<YamlNode> list = elements(node);
    if (list.size() > kMaxConstraints)
      return errors_.push_back(
          node.error(fmt::format("{} constraints, at most {} are possible", list.size(), kMaxConstraints)));
    const std::vector<std::string> names = constraint_names(out_);
    for (const YamlNode& entry : list) {
      if (!entry.is_scalar() || entry.text().size() > kMaxConstraintLength) {
        errors_.push_back(
            entry.error(fmt::format("a constraint is a text of at most {} characters", kMaxConstraintLength)));
        continue;
      }
      const Result<Expression> condition = Expression::parse(entry.text(), names);
      if (!condition) {
        for (const Diagnostic& error : condition.errors()) errors_.push_back(entry.error(error.message));
        continue;
      }
      for (std::size_t k = 0; k < out_.parameters.size(); ++k)
        if (condition->uses(k)) refuse_without_number(out_.parameters[k], entry);
      out_.constraints.push_back({{entry.file(), entry.line(), entry.field()}, entry.text()});
    }
  }

  void refuse_without_number(const SweepParameter& parameter, const YamlNode& entry) {
    for (const ParameterValue& value : parameter.values)
      if (!value.number)
        return errors_.push_back(entry.error(fmt::format("'{}': value {} of {} is no number, size or fan-out",
                                                         entry.text(), value.text, parameter.name)));
  }

  std::string path_;
  const SweepOverrides& overrides_;
  const ReadOptions reading_;         // one way of reading for all workloads
  std::optional<Architecture> base_;  // the machine, if it is one without parameters
  SweepSpec out_;
  Diagnostics errors_;
};

}  // namespace

Diagnostics set_goal_and_rank(const std::optional<std::string>& goal, const std::optional<std::string>& rank,
                              SweepOverrides& overrides) {
  Diagnostics errors;
  const auto refuse = [&](const char* field, const std::string& given, const std::vector<std::string>& allowed) {
    errors.push_back(
        {"", 0, field,
         fmt::format("{} = {}, must be {}{}", field, given, join(allowed, "or"), did_you_mean(given, allowed))});
  };
  if (goal && !(overrides.goal = find_named<SweepGoal>(*goal))) refuse("goal", *goal, names_of<SweepGoal>());
  if (rank && !(overrides.rank = find_named<SweepRank>(*rank))) refuse("rank", *rank, names_of<SweepRank>());
  return errors;
}

Result<SweepSpec> load_sweep(const std::string& path, const SweepOverrides& overrides) {
  Result<std::string> text = read_text_file(path);
  if (!text) return text.errors();
  return parse_sweep(*std::move(text), path, overrides);
}

Result<SweepSpec> parse_sweep(std::string text, const std::string& path, const SweepOverrides& overrides) {
  const Result<YamlNode> root = YamlNode::parse(text, path);
  if (!root) return root.errors();
  return Reader(path, overrides).run(*root, std::move(text));
}

}  // namespace heliolite
