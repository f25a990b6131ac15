#include "engine/search/core/option_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cctype>

#include "engine/base/named.h"
#include "engine/base/text.h"
#include "engine/search/core/option_kinds.h"

namespace heliolite {
namespace {

constexpr u64 kMostBatch = 1000;

SearchOption without() {
  return {"without",
          "",
          "RULE",
          "Switch rules off: " + join(rule_names()),
          join(rule_names(), "or"),
          "",
          rule_names(),
          [](SearchOptions& o, std::string_view word) {
            const auto rule = parse_rule(word);
            if (rule) o.rules.set(*rule, false);
            return rule.has_value();
          },
          [](const SearchOptions& o) {
            std::vector<std::string> off;
            for (const RuleInfo& rule : kRuleTable)
              if (!o.rules[rule.rule]) off.emplace_back(rule.name);
            return OptionValue(std::move(off));
          },
          true};
}

SearchOption objective() {
  const std::vector<std::string> names = asked_objective_names();
  return {"objective",
          "",
          "NAME",
          "What to minimise: " + join(names, "or"),
          join(names, "or"),
          name(asked_objective({})),
          names,
          [](SearchOptions& o, std::string_view text) {
            const std::optional<AskedObjective> asked = parse_asked_objective(lower(std::string(text)));
            if (asked) o.objective = asked->objective, o.network = asked->network;
            return asked.has_value();
          },
          [](const SearchOptions& o) { return OptionValue(name(asked_objective(o))); }};
}

SearchOption budget() {
  return seconds_option(
      "budget", "Stop a layer's search, with --fuse the network's, after so long, with the best so far", "",
      [](SearchOptions& o, double seconds) { o.budget_seconds = seconds; },
      [](const SearchOptions& o) { return or_none(o.budget_seconds); });
}

SearchOption memory() {
  return {
      "memory",
      "",
      "SIZE",
      "What exact and thesis may hold of one layer, tables and partial mappings; each of several layers searched at "
      "the same time may",
      "a size with its unit (B, KB, MB or GB, of 1024), at least 1 B",
      fmt::format("{} GiB", SearchOptions().memory_bytes >> 30),
      {},
      [](SearchOptions& o, std::string_view text) {
        const std::optional<double> bytes = parse_bytes(text);
        if (!bytes || *bytes < 1 || *bytes > static_cast<double>(kMaxCount)) return false;
        o.memory_bytes = static_cast<u64>(*bytes);
        return true;
      },
      [](const SearchOptions& o) { return OptionValue(o.memory_bytes); }};
}

SearchOption cosa_weights() {
  return {"weights",
          "",
          "C,T,R",
          "of cycles, traffic and room held, in logarithms; variants published and ordered",
          "three numbers from -1e6 to 1e6 with commas between them",
          to_text(CosaWeights()),
          {},
          [](SearchOptions& o, std::string_view text) {
            const std::optional<CosaWeights> weights = parse_cosa_weights(text);
            if (weights) o.cosa.weights = *weights;
            return weights.has_value();
          },
          [](const SearchOptions& o) { return OptionValue(to_text(o.cosa.weights)); }};
}

SearchOption least(std::string_view name, const std::string& of, std::optional<double> LeastUseOptions::*member) {
  return {name,
          "",
          "SHARE",
          fmt::format("look at tilings only that use so much of {}; without it as the paper has it", of),
          "a share from 0 to 1",
          "",
          {},
          [member](SearchOptions& o, std::string_view text) {
            const std::optional<double> share = parse_number<double>(text);
            if (!share || !(*share >= 0) || *share > 1) return false;
            o.directed.*member = *share;
            return true;
          },
          [member](const SearchOptions& o) { return or_none(o.directed.*member); },
          false,
          {},
          NumberRange{0, 1}};
}

// The option of some strategies only, which its help names.
SearchOption of_strategies(std::vector<Strategy> strategies, SearchOption option) {
  std::vector<std::string> names;
  for (const Strategy strategy : strategies) names.emplace_back(name(strategy));
  option.help =
      fmt::format("{} {}: {}", names.size() == 1 ? "Strategy" : "Strategies", join(names, "and"), option.help);
  option.strategies = std::move(strategies);
  return option;
}

std::vector<SearchOption> make_table() {
  using O = SearchOptions;
  const std::vector<Strategy> timeloop{Strategy::Random, Strategy::RandomPruned, Strategy::Hybrid};
  return {
      objective(),
      named_option("strategy", "s", "How to search: ", strategy_names(), &parse_strategy, &O::strategy),
      count_option(
          "threads", "0 = every core; the answer does not depend on it", 0,
          [](O& o, u64 n) { o.threads = static_cast<int>(n); },
          [](const O& o) { return OptionValue(static_cast<u64>(o.threads)); }, kMaxThreads, "t"),
      switch_option("free", "Lift the machine's dataflow constraints", &O::free),
      switch_option("open", "Lift the machine's keep rules: levels may hold any tensors", &O::open),
      without(),
      named_option("tiles", "", "Tiles of the tensors of a level: ", &O::tiles),
      named_option("factors", "", "Tile sizes: those that divide the sizes, or all, in true counts: ", &O::factors),
      budget(),
      count_option(
          "evaluations", "Stop a layer's search, with --fuse the network's, after so many mappings, 256 more at most",
          1, [](O& o, u64 n) { o.budget_evaluations = n; }, [](const O& o) { return or_none(o.budget_evaluations); }),
      memory(),
      count_option(
          "seed", "Of what is drawn at random", 0, [](O& o, u64 n) { o.seed = n; },
          [](const O& o) { return OptionValue(o.seed); }),
      of_strategies({Strategy::Bayes},
                    count_option(
                        "start", "price so many mappings before learning from them", 1,
                        [](O& o, u64 n) { o.bayes.start = n; }, [](const O& o) { return OptionValue(o.bayes.start); })),
      of_strategies({Strategy::Bayes}, count_option(
                                           "batch", "choose so many mappings at a time, to be priced side by side", 1,
                                           [](O& o, u64 n) { o.bayes.batch = n; },
                                           [](const O& o) { return OptionValue(o.bayes.batch); }, kMostBatch)),
      of_strategies({Strategy::Bayes}, named_option(
                                           "encoding", "", "how loop orders become features: ", [](auto& o) -> auto& {
                                             return o.bayes.encoding;
                                           })),
      of_strategies({Strategy::Bayes}, named_option(
                                           "transfer", "", "how to learn from --from: ", [](auto& o) -> auto& {
                                             return o.bayes.transfer;
                                           })),
      of_strategies(timeloop, count_option(
                                  "victory", "stop after so many legal mappings in a row without an improvement", 1,
                                  [](O& o, u64 n) { o.sampling.victory = n; },
                                  [](const O& o) { return OptionValue(o.sampling.victory); })),
      of_strategies(
          timeloop,
          count_option(
              "timeout",
              fmt::format("stop after so many mappings in a row that do not fit; without it {}, of {} {}",
                          kTimeloopTimeout, name(Strategy::Random), kRandomTimeout),
              1, [](O& o, u64 n) { o.sampling.timeout = n; }, [](const O& o) { return or_none(o.sampling.timeout); })),
      of_strategies({Strategy::DMazeRunner, Strategy::Interstellar},
                    least("least-units", "the compute units", &LeastUseOptions::units)),
      of_strategies({Strategy::DMazeRunner}, least("least-inner", "the innermost memory", &LeastUseOptions::inner)),
      of_strategies({Strategy::DMazeRunner}, least("least-outer", "each other memory", &LeastUseOptions::outer)),
      of_strategies({Strategy::Cosa}, named_option(
                                          "variant", "", "what the program minimises: ", [](auto& o) -> auto& {
                                            return o.cosa.variant;
                                          })),
      of_strategies({Strategy::Cosa}, cosa_weights()),
      of_strategies({Strategy::Cosa}, named_option(
                                          "halo", "", "tiles that slide, in variants published and ordered: ",
                                          [](auto& o) -> auto& { return o.cosa.halo; })),
      of_strategies({Strategy::Cosa}, switch_option(
                                          "warm-start", "the solver begins with what sunstone finds",
                                          [](auto& o) -> auto& { return o.cosa.warm_start; })),
      of_strategies({Strategy::Cosa},
                    switch_option(
                        "pad",
                        "solve for the next sizes without primes above 7, and cut the answer to the true ones; "
                        "with --factors any",
                        [](auto& o) -> auto& { return o.cosa.pad; })),
      of_strategies(strategies_of_values(), evaluator_option()),
      of_strategies(strategies_of_values(), evaluator_protocol_option()),
      of_strategies(strategies_of_values(), evaluator_seconds_option()),
  };
}

}  // namespace

std::span<const SearchOption> search_option_table() {
  static const std::vector<SearchOption> table = make_table();
  return table;
}

const SearchOption& search_option(std::string_view name) {
  const SearchOption* const option = find_row(search_option_table(), name);
  assert(option != nullptr);
  return *option;
}

std::string_view written_instead(std::string_view former) {
  const FormerOption* const option = find_row(kFormerOptions, former);
  return option == nullptr ? std::string_view() : option->instead;
}

Diagnostics misplaced_options(const SearchOptions& options) {
  static const SearchOptions usual;
  Diagnostics out;
  for (const SearchOption& option : search_option_table()) {
    if (option.strategies.empty() || option.get(options) == option.get(usual)) continue;
    if (std::ranges::find(option.strategies, options.strategy) != option.strategies.end()) continue;
    std::vector<std::string> names;
    for (const Strategy strategy : option.strategies) names.emplace_back(name(strategy));
    out.push_back({"", 0, std::string(option.name),
                   fmt::format("strategy {} has no such option; {} {}", name(options.strategy), join(names, "and"),
                               names.size() == 1 ? "has" : "have")});
  }
  return out;
}

std::string must_be(const SearchOption& option, std::string_view value) {
  return option.allowed + (option.names.empty() ? std::string() : did_you_mean(value, option.names));
}

std::string to_text(const OptionValue& value) {
  struct Writer {
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(bool on) const { return on ? "true" : "false"; }
    std::string operator()(u64 number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const std::vector<std::string>& words) const {
      return fmt::format("{}", fmt::join(words, ","));
    }
  };
  return std::visit(Writer{}, value);
}

Result<std::vector<GivenOption>> given_options(const NamedValues& given) {
  const auto table = search_option_table();
  std::vector<GivenOption> out;
  Diagnostics errors;
  const auto refuse = [&](const std::string& option, std::string why) {
    errors.push_back({"", 0, option, std::move(why)});
  };
  for (const auto& [key, value] : given) {
    const auto option = std::ranges::find(table, key, &SearchOption::name);
    if (const std::string_view now = written_instead(key); !now.empty()) {
      refuse(key, std::string(now));
    } else if (option == table.end()) {
      const std::vector<std::string> names = names_of(table);
      refuse(key, fmt::format("unknown option '{}', must be {}{}", key, join(names, "or"), did_you_mean(key, names)));
    } else if (SearchOptions scratch; option->set(scratch, value)) {
      out.push_back({&*option, value});
    } else {
      refuse(key, fmt::format("{} = {}, must be {}", key, value, must_be(*option, value)));
    }
  }
  if (!errors.empty()) return errors;
  return out;
}

Result<SearchOptions> options_with(std::span<const GivenOption> given) {
  SearchOptions options;
  for (const GivenOption& one : given) one.option->set(options, one.value);
  if (Diagnostics errors = misplaced_options(options); !errors.empty()) return errors;
  return options;
}

namespace {

// YAML writes numbers and switches in more ways than the table knows.
std::string plain_text(const YamlNode& node, const SearchOption& option) {
  if (option.type.empty()) {
    if (const auto on = node.as_bool()) return *on ? "true" : "false";
  } else if (option.type == "N") {
    if (const auto n = node.as_integer()) return fmt::format("{}", *n);
  } else if (const auto x = node.as_number()) {
    return fmt::format("{}", *x);
  }
  return node.is_scalar() ? node.text() : "a list or map";
}

void set(const YamlNode& at, const SearchOption& option, const std::string& value, SearchOptions& options,
         Diagnostics& errors) {
  if (!option.set(options, value))
    errors.push_back(at.error(fmt::format("{} = {}, must be {}", option.name, value, must_be(option, value))));
}

Shape shape_of(const SearchOption& option) {
  if (option.type.empty()) return shape::boolean();
  if (option.list) return shape::words();
  if (!option.names.empty()) return shape::one_of_any_case(option.names);
  if (!option.range) return option.type == "SIZE" ? shape::text(kBytePattern) : shape::text();
  if (option.type != "N") return shape::number(option.range->least, option.range->most);
  return shape::integer(static_cast<i64>(option.range->least), static_cast<i64>(option.range->most));
}

std::string sentence(const std::string& phrase) {
  std::string text = phrase + ".";
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

FileField field_of(const SearchOption& option) {
  const std::string unit = option.type == "SECONDS" ? "s" : "";
  return {option.name, shape_of(option), sentence(option.help), unit, option.usual};
}

bool left_out(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

FileField search_option_field(std::string_view name) { return field_of(search_option(name)); }

std::vector<FileField> search_option_fields(std::span<const std::string_view> leave) {
  std::vector<FileField> fields;
  for (const SearchOption& option : search_option_table())
    if (!left_out(leave, option.name)) fields.push_back(field_of(option));
  return fields;
}

void read_search_option(const YamlNode& node, std::string_view name, SearchOptions& options, Diagnostics& errors) {
  const SearchOption& option = search_option(name);
  set(node, option, plain_text(node, option), options, errors);
}

void refuse_former_options(FieldReader& reader) {
  for (const FormerOption& former : kFormerOptions)
    reader.refuse(former.name, fmt::format("{}: {}", former.name, former.instead));
}

void read_search_options(FieldReader& reader, SearchOptions& options, Diagnostics& errors,
                         std::span<const std::string_view> leave) {
  refuse_former_options(reader);
  for (const SearchOption& option : search_option_table()) {
    if (left_out(leave, option.name)) continue;
    if (option.list)
      for (const std::string& word : reader.words(option.name).value_or(std::vector<std::string>{}))
        set(*reader.child(option.name), option, word, options, errors);
    else if (const auto node = reader.child(option.name)) read_search_option(*node, option.name, options, errors);
  }
}

}  // namespace heliolite
