// heliolite space --sensitivity: which decisions of a mapping decide its cost.
#include "cli/space/space_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "cli/ui/inputs.h"
#include "cli/ui/interrupt.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/search/bayes/bayes_search.h"
#include "engine/search/sensitivity/mapping_sensitivity.h"

namespace heliolite::cli {
namespace {

constexpr u64 kMostSamples = 1 << 20;
constexpr std::size_t kPairsShown = 12;
constexpr std::array<const char*, 4> kGroupNames{"feature", "level", "dimension", "orders"};

Json json(const Estimate& e) { return {{"value", e.value}, {"low", e.low}, {"high", e.high}}; }

std::string text(const Estimate& e) { return fmt::format("{:.4f}", e.value); }
std::string interval(const Estimate& e) { return fmt::format("{:.4f} to {:.4f}", e.low, e.high); }

// A bar of the total index, so that the eye sees what leads.
std::string bar(double total) { return std::string(at(std::lround(40 * std::clamp(total, 0.0, 1.0))), '#'); }

std::string answer_text(const Workload& workload, const Architecture& architecture, Objective objective,
                        const MappingSensitivity& s, bool surrogate) {
  std::string out =
      fmt::format("{} on {}: what decides log {} ({} of {} mappings{})\n", workload.name, architecture.name,
                  name(objective), surrogate ? "a process learned from --from, asked" : "the cost model", s.evaluations,
                  s.unfit == 0 ? "" : fmt::format(", {} of them without room", s.unfit));
  out += fmt::format("mean {:.4f}, standard deviation {:.4f}\n", s.mean, std::sqrt(s.variance));
  SensitivityGroup last = SensitivityGroup::Feature;
  Table table({"<feature", "alone", "95 %", "with others", "95 %", "<"});
  const auto flush = [&] { out += "\n" + table.to_string(); };
  for (const FeatureSensitivity& row : s.rows) {
    if (row.group != last) {
      flush();
      table = Table({fmt::format("<{}", kGroupNames[at(row.group)]), "alone", "95 %", "with others", "95 %", "<"});
      last = row.group;
    }
    table.row({row.name, text(row.index.first), interval(row.index.first), text(row.index.total),
               interval(row.index.total), bar(row.index.total.value)});
  }
  flush();
  if (s.pairs.empty()) return out;
  Table pairs({"<pair", "<", "both together", "95 %", "<"});
  const std::size_t shown = std::min(kPairsShown, s.pairs.size());
  for (const PairSensitivity& pair : std::span(s.pairs).first(shown))
    pairs.row({pair.a, pair.b, text(pair.second), interval(pair.second), bar(pair.second.value)});
  out += "\n" + pairs.to_string();
  if (shown < s.pairs.size())
    out += fmt::format("  The first {} of {} pairs; --json has all.\n", shown, s.pairs.size());
  return out;
}

}  // namespace

void add_sensitivity_options(CLI::App& command, SensitivityQuestion& question) {
  command.add_flag("--sensitivity", question.asked, "Which decisions of a mapping decide its cost: Sobol's indices");
  command.add_flag("--pairs", question.pairs, "With --sensitivity: also what each two features explain together only");
  command.add_option("--samples", question.samples, "With --sensitivity: samples, a power of two is best")
      ->type_name("N")
      ->check(CLI::Range(u64{16}, kMostSamples))
      ->capture_default_str();
  command
      .add_option("--from", question.from,
                  "With --sensitivity: of a process learned from such a file of map --learn, not of the cost model")
      ->type_name("FILE");
  question.search.add_to(command, {"encoding"}, "With --sensitivity: ");
  question.search.add_to(command, {"objective", "seed", "threads"}, "With --sensitivity or --sample: ");
}

int show_sensitivity(const Workload& workload, const Architecture& architecture, const MapspaceOptions& lifted,
                     const SensitivityQuestion& question, Json& answer, const Output& output) {
  SearchOptions options;
  question.search.apply(options);
  options.strategy = Strategy::Bayes;
  options.free = lifted.free;
  options.open = lifted.open;
  if (const Diagnostics errors = load_learned(question.from, options); !errors.empty()) return fail(errors);
  const auto found = until_interrupted([=, samples = question.samples, pairs = question.pairs] {
    return mapping_sensitivity(workload, architecture, options, samples, pairs);
  });
  if (!found) {
    output.note("heliolite: interrupted");
    return kInterrupted;
  }
  if (!*found) return fail(found->errors());
  const MappingSensitivity& s = **found;
  output.table(answer_text(workload, architecture, options.objective, s, options.bayes.from != nullptr));
  Json rows = Json::array();
  for (const FeatureSensitivity& row : s.rows)
    rows.push_back({{"group", kGroupNames[at(row.group)]},
                    {"name", row.name},
                    {"first", json(row.index.first)},
                    {"total", json(row.index.total)}});
  Json pairs = Json::array();
  for (const PairSensitivity& pair : s.pairs)
    pairs.push_back({{"features", {pair.a, pair.b}}, {"second", json(pair.second)}});
  answer["sensitivity"] = {{"objective", name(options.objective)},
                           {"encoding", name(options.bayes.encoding)},
                           {"surrogate", options.bayes.from != nullptr},
                           {"samples", question.samples},
                           {"evaluations", s.evaluations},
                           {"unfit", s.unfit},
                           {"mean", s.mean},
                           {"variance", s.variance},
                           {"indices", rows},
                           {"pairs", question.pairs ? pairs : Json()}};
  return output.json(answer) ? kSuccess : kBadInput;
}

}  // namespace heliolite::cli
