#include "engine/report/answer_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/file_bytes.h"
#include "engine/base/file_claims.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/report/html.h"
#include "engine/search/core/objective.h"

namespace heliolite {
namespace {

using namespace answer_json;

// ---- Where energy goes. A colour means one thing in the charts, the tables and the nests.

enum Kind { kInputs, kWeights, kOutputs, kNetworks, kLeakage, kCompute, kKinds };
struct KindLook {
  const char *name, *colour;
};
constexpr std::array<KindLook, kKinds> kLooks{{{"inputs", kInputColour},
                                               {"weights", kWeightColour},
                                               {"outputs", kOutputColour},
                                               {"networks", "var(--c3)"},
                                               {"leakage", "var(--none)"},
                                               {"compute", "var(--c4)"}}};

Kind kind_of_role(const std::string& role) {
  return role == "output" ? kOutputs : role == "weight" ? kWeights : kInputs;
}

struct LevelEnergy {
  std::string level;
  std::array<double, kKinds> pj{};

  double sum() const { return sum_of<double>(pj); }
};

LevelEnergy& named(std::vector<LevelEnergy>& levels, const std::string& level) {
  const auto found = std::ranges::find(levels, level, &LevelEnergy::level);
  if (found != levels.end()) return *found;
  return levels.emplace_back(LevelEnergy{level, {}});
}

// Adds `runs` times what one run of a layer takes, outermost level first, the compute units last.
void add_breakdown(std::vector<LevelEnergy>& levels, const Json& breakdown, double runs) {
  for (const Json& level : part(breakdown, "levels")) {
    LevelEnergy& sum = named(levels, text(level, "level"));
    for (const Json& tensor : part(level, "tensors"))
      sum.pj[kind_of_role(text(tensor, "role"))] +=
          runs * (number_or_0(tensor, "energy_pj") + number_or_0(tensor, "address_generation_pj"));
    for (const Json& network : part(level, "network_below"))
      sum.pj[kNetworks] += runs * number_or_0(network, "energy_pj");
    sum.pj[kLeakage] += runs * number_or_0(level, "leakage_pj");
  }
  const Json& compute = part(breakdown, "compute");
  named(levels, text(compute, "name")).pj[kCompute] += runs * number_or_0(compute, "energy_pj");
}

constexpr int kLabelWidth = 130, kBarWidth = 480, kValueWidth = 150, kRowHeight = 26, kBarHeight = 18;

// A bar for each level, its parts by what takes them.
std::string energy_bars(const std::vector<LevelEnergy>& levels) {
  double most = 0, all = 0;
  for (const LevelEnergy& level : levels) {
    most = std::max(most, level.sum());
    all += level.sum();
  }
  if (most <= 0) return "";
  const int width = kLabelWidth + kBarWidth + kValueWidth;
  std::string out = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Energy by level\">", width,
                                kRowHeight * levels.size());
  int y = 0;
  for (const LevelEnergy& level : levels) {
    const int base = y + kRowHeight / 2 + 4;
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"currentColor\">{}</text>", kLabelWidth - 8,
                       base, html_text(level.level));
    double x = kLabelWidth;
    for (std::size_t k = 0; k < kKinds; ++k) {
      if (level.pj[k] <= 0) continue;
      const double wide = kBarWidth * level.pj[k] / most;
      out += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"><title>{}: {}, {}</title></rect>", x,
          y + (kRowHeight - kBarHeight) / 2, wide, kBarHeight, kLooks[k].colour, html_text(level.level), kLooks[k].name,
          energy(level.pj[k]));
      x += wide;
    }
    out += fmt::format("<text x=\"{:.2f}\" y=\"{}\" fill=\"currentColor\">{}, {}</text>", x + 6, base,
                       energy(level.sum()), percent(level.sum() / all));
    y += kRowHeight;
  }
  std::string legend = "<p class=\"legend\">";
  for (std::size_t k = 0; k < kKinds; ++k)
    legend += fmt::format("<span><i class=\"swatch\" style=\"background:{}\"></i>{}</span> ", kLooks[k].colour,
                          kLooks[k].name);
  return out + "</svg>" + legend + "</p>\n";
}

// ---- The parts of the page.

// How far the sum of what was minimised may be above the least possible, and of how many layers it is the least.
std::string certainty(const Json& layers) {
  double value = 0, bound = 0;
  std::size_t optimal = 0, missing = 0;
  for (const Json& layer : layers) {
    const auto v = number(layer, "value"), b = number(layer, "lower_bound");
    optimal += text(layer, "status") == "optimal" ? 1 : 0;
    if (!v || !b) {
      ++missing;
      continue;
    }
    value += number_or_0(layer, "count") * *v;
    bound += number_or_0(layer, "count") * *b;
  }
  if (optimal == layers.size()) return "optimal";
  std::string words = fmt::format("{} of {} layers optimal", optimal, layers.size());
  if (bound > 0)
    words += fmt::format(", the sum at most {} above the least", percent(std::max(0.0, value / bound - 1)));
  if (missing > 0) words += fmt::format(", {} not bounded", missing);
  return words;
}

std::string summary(const Json& answer) {
  const Json &total = part(answer, "total"), &rates = part(total, "rates"), &layers = part(answer, "layers");
  const auto seconds = number(rates, "seconds"), watts = number(rates, "watts"), tops = number(rates, "tops");
  const std::string cycles = whole(number(total, "cycles")) + " cycles";
  const double area = number_or_0(total, "area_um2");
  std::string out = "<dl id=\"summary\" aria-label=\"Summary\">";
  out += html_fact("Energy", energy(number(total, "energy_pj")), "all runs of all layers");
  out += seconds ? html_fact("Time", with_prefix(*seconds, "s"), cycles)
                 : html_fact("Time", cycles, "the machine does not state how long one is");
  out += html_fact("Energy x time of the totals", digits(number(total, "edp_of_totals_pj_cycles")), "pJ x cycles");
  if (watts) out += html_fact("Power", with_prefix(*watts, "W"));
  if (tops)
    out +=
        html_fact("Throughput", fmt::format("{:.4g} TOPS", *tops), digits(number(rates, "tops_per_watt")) + " TOPS/W");
  const Json& done = part(total, "throughput");
  const auto each = [&](const char* what, const char* rate, const char* pj) {
    const auto per_second = number(done, rate);
    const std::string joules = energy(number(done, pj));
    if (per_second) out += html_fact(what, digits(per_second) + " /s", joules.empty() ? "" : joules + " each");
    else if (!joules.empty()) out += html_fact(what, joules, "each");
  };
  each("Inferences", "inferences_per_second", "inference_energy_pj");
  each("Tokens", "tokens_per_second", "token_energy_pj");
  const std::string run = text(total, "one_run");
  if (!run.empty() && layers.size() > 1) out += html_fact("A run", "no inference", run);
  if (area > 0) out += html_fact("Area", fmt::format("{:.4g} mm2", area * 1e-6));
  const Json& first = layers.front();
  const std::string of = text(part(first, "mapspace"), "factors");
  return out + html_fact("How sure", certainty(layers), of.empty() ? "" : "among mappings with " + of + " factors") +
         "</dl>\n";
}

// What was minimised, with its unit.
std::string value_heading(const std::string& objective) {
  const std::optional<Objective> known = parse_objective(objective);  // none: an evaluator's value
  return known ? title(*known) : objective;
}

std::string layer_rows(const Json& layers) {
  double all = 0;
  for (const Json& layer : layers) all += number_or_0(layer, "count") * number_or_0(layer, "energy_pj");
  HtmlTable table({"<layer", "count", "energy", "of all", "cycles", "utilization",
                   value_heading(text(layers.front(), "objective")), "lower bound", "gap", "<status"});
  std::size_t i = 0;
  for (const Json& layer : layers) {
    const auto pj = number(layer, "energy_pj");
    const double runs = number_or_0(layer, "count");
    table.row({html_link(fmt::format("#layer-{}", ++i), text(layer, "name")), html_text(whole(runs)), energy(pj),
               pj && all > 0 ? percent(runs * *pj / all) : "", whole(number(layer, "cycles")),
               share(number(layer, "utilization")), digits(number(layer, "value")),
               digits(number(layer, "lower_bound")), share(number(layer, "gap")), html_text(text(layer, "status"))});
  }
  return table.to_string();
}

// "K 4, C 3", outermost first; "K 4 (last 3)" where the last of the tiles is smaller.
std::string loops(const Json& of) {
  std::vector<std::string> words;
  for (const Json& loop : of)
    for (const auto& [dimension, end] : loop.items()) {
      if (end.is_number_unsigned()) words.push_back(fmt::format("{} {}", dimension, end.get<u64>()));
      if (end.is_array() && end.size() == 2 && end[0].is_number_unsigned() && end[1].is_number_unsigned())
        words.push_back(fmt::format("{} {} (last {})", dimension, end[0].get<u64>(), end[1].get<u64>()));
    }
  return html_text(fmt::format("{}", fmt::join(words, ", ")));
}

// The breakdown of the level called `level`; null if there is none.
const Json& level_named(const Json& breakdown, const std::string& level) {
  for (const Json& candidate : part(breakdown, "levels"))
    if (text(candidate, "level") == level) return candidate;
  return part(breakdown, "none");
}

std::string room(const Json& level) {
  const auto used = number(level, "used_words"), capacity = number(level, "capacity_words");
  if (!used) return "";
  if (!capacity || *capacity <= 0) return html_text(whole(used) + " words");
  return html_text(fmt::format("{} of {} words, {}", whole(used), whole(capacity), percent(*used / *capacity)));
}

// A row for each level, what it keeps in the colours of the tensors.
std::string nest(const Json& layer) {
  const Json& breakdown = part(layer, "breakdown");
  HtmlTable table(
      {"<level", "<keeps", "<loops over time, outermost first", "<across X", "<across Y", "<room of one instance"});
  std::string before;
  for (const Json& place : part(layer, "mapping")) {
    const std::string name = text(place, "level");
    const Json& level = level_named(breakdown, name);
    std::string keeps;
    for (const Json& tensor : part(place, "keep")) {
      if (!tensor.is_string()) continue;
      const std::string& of = tensor.get_ref<const std::string&>();
      const Kind kind = kind_of_role(text(part(part(level, "tensors"), of.c_str()), "role"));
      keeps +=
          fmt::format("<span class=\"kept\" style=\"border-color:{}\">{}</span> ", kLooks[kind].colour, html_text(of));
    }
    const Json& spatial = part(place, "spatial");
    table.row({html_text(name), keeps, loops(part(place, "temporal")), loops(part(spatial, "x")),
               loops(part(spatial, "y")), name == before ? "" : room(level)});
    before = name;
  }
  return table.to_string();
}

// Words and energy by level and tensor, of all instances and one run.
std::string accesses(const Json& layer) {
  HtmlTable table({"<level", "<tensor", "words of a tile", "reads", "fills", "updates", "energy", "of the layer"});
  const double all = number_or_0(layer, "energy_pj");
  const auto row = [&](std::vector<std::string> cells, double pj) {
    cells.push_back(energy(pj));
    cells.push_back(all > 0 ? percent(pj / all) : "");
    table.row(cells);
  };
  for (const Json& level : part(part(layer, "breakdown"), "levels")) {
    const std::string name = html_text(text(level, "level"));
    const Json& tensors = part(level, "tensors");
    if (tensors.is_object())
      for (const auto& [tensor, traffic] : tensors.items()) {
        const Json& words = part(traffic, "all_instances");
        row({name, html_text(tensor), whole(number(traffic, "tile_words")), whole(number(words, "reads")),
             whole(number(words, "fills")), whole(number(words, "updates"))},
            number_or_0(traffic, "energy_pj") + number_or_0(traffic, "address_generation_pj"));
      }
    double networks = 0;
    for (const Json& network : part(level, "network_below")) networks += number_or_0(network, "energy_pj");
    if (networks > 0) row({name, "network below", "", "", "", ""}, networks);
    if (number_or_0(level, "leakage_pj") > 0) row({name, "leakage", "", "", "", ""}, number_or_0(level, "leakage_pj"));
  }
  const Json& compute = part(part(layer, "breakdown"), "compute");
  row({html_text(text(compute, "name")), whole(number(compute, "computes")) + " MACs", "", "", "", ""},
      number_or_0(compute, "energy_pj"));
  return table.to_string();
}

std::string boundaries(const Json& layer) {
  const Json& bounds = part(layer, "bounds");
  if (!bounds.is_array() || bounds.empty()) return "";
  HtmlTable table({"<boundary", "words moved", "least that any mapping moves", "times the least"});
  for (const Json& bound : bounds) {
    const Json& mapping = part(bound, "mapping");
    const auto moved = number(mapping, "words"), least = number(bound, "words");
    table.row({html_text("outside " + text(bound, "level")), whole(moved), whole(least),
               moved && least && *least > 0 ? fmt::format("{:.2f}", *moved / *least) : ""});
  }
  return "<h4>Words between levels</h4>\n" + table.to_string();
}

std::string layer_section(const Json& layer, std::size_t number_of_layer) {
  std::vector<std::string> sizes;
  const Json& dimensions = part(layer, "dimensions");
  if (dimensions.is_object())
    for (const auto& [name, size] : dimensions.items())
      if (size.is_number_unsigned() && size.get<u64>() > 1) sizes.push_back(fmt::format("{}{}", name, size.get<u64>()));
  std::string out = fmt::format("<section class=\"layer\" id=\"layer-{}\"><h3>{}</h3>\n<p class=\"note\">",
                                number_of_layer, html_text(text(layer, "name")));
  out += html_text(fmt::format("{}; {} MACs; {}; {} mappings priced in {}", fmt::join(sizes, " "),
                               whole(number(layer, "macs")), text(layer, "status"), whole(number(layer, "evaluated")),
                               with_prefix(number_or_0(layer, "seconds"), "s")));
  out += "</p>\n";
  const std::string why = text(layer, "why_not_proven");
  if (!why.empty()) out += "<p class=\"note\">" + html_text(why) + "</p>\n";
  for (const Json& reason : part(layer, "reasons"))
    if (reason.is_string()) out += "<p class=\"note\">" + html_text(reason.get<std::string>()) + "</p>\n";
  if (part(layer, "mapping").is_array())
    out += "<h4>Loop nest</h4>\n" + nest(layer) + "<h4>Words and energy of one run, all instances</h4>\n" +
           accesses(layer) + boundaries(layer);
  return out + "</section>\n";
}

// The options that were given, and the program that answered.
std::string question(const Json& answer) {
  const Json& asked = part(answer, "question");
  HtmlTable table({"<asked", "<"});
  for (const char* what : {"workload", "architecture"})
    table.row({what, html_text(fmt::format("{} (hash {})", text(part(asked, what), "name"),
                                           text(part(asked, what), "hash")))});
  const Json& options = part(asked, "options");
  if (options.is_object())
    for (const auto& [option, value] : options.items()) {
      const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
      const bool said = !value.is_null() && value != false && !shown.empty() && !(value.is_array() && value.empty());
      if (said) table.row({html_text(option), html_text(shown)});
    }
  table.row({"program", html_text(fmt::format("{} {} {}", text(answer, "program"), text(answer, "version"),
                                              text(answer, "commit")))});
  return table.to_string();
}

std::string notes(const Json& answer) {
  std::string out;
  for (const Json& note : part(answer, "notes"))
    if (note.is_string()) out += "<p class=\"note\">" + html_text(note.get<std::string>()) + "</p>\n";
  return out;
}

// Whether the page can show it; else what is wrong.
Diagnostics complaints(const Json& answer, const std::string& file) {
  const auto complaint = [&](const char* field, std::string what) {
    return Diagnostics{{file, 0, field, std::move(what)}};
  };
  if (answer.is_discarded())
    return complaint("", "is no JSON; report takes the database of a sweep or an answer of map --json");
  if (text(answer, "command") != "map")
    return complaint("command",
                     fmt::format("= '{}', must be map: report shows answers of map --json", text(answer, "command")));
  const Json& layers = part(answer, "layers");
  if (!layers.is_array() || layers.empty()) return complaint("layers", "has no layer, there is nothing to report");
  for (const Json& layer : layers)
    if (part(layer, "mapping").is_array() && !part(layer, "breakdown").is_object())
      return complaint("layers", fmt::format("{} has no breakdown: an older program wrote this answer, run map again",
                                             text(layer, "name")));
  return {};
}

}  // namespace

Result<std::string> answer_page(std::string_view answer, const std::string& file, const std::string& program) {
  const Json json = Json::parse(answer, nullptr, /*allow_exceptions=*/false);
  if (is_schedule_answer(json)) return schedule_page(json, program);
  if (Diagnostics errors = complaints(json, file); !errors.empty()) return errors;
  const Json &asked = part(json, "question"), &layers = part(json, "layers");
  const std::string title = text(part(asked, "workload"), "name") + " on " + text(part(asked, "architecture"), "name");
  std::vector<LevelEnergy> levels;
  for (const Json& layer : layers) add_breakdown(levels, part(layer, "breakdown"), number_or_0(layer, "count"));
  std::string body = fmt::format(
      "<header><p class=\"brand\">Heliolite map</p><h1>{}</h1>\n<p class=\"note\">The best "
      "mapping of each layer, objective {}.</p>{}</header>\n<main>",
      html_text(title), html_text(text(layers.front(), "objective")), notes(json));
  body += summary(json);
  body += html_section("Where the energy goes", "All runs of all layers, by level of the machine and what takes it.",
                       energy_bars(levels));
  body += html_section("Layers",
                       "Energy and cycles of one run; the share is that of all runs. No mapping is below the "
                       "lower bound; the gap is how far the answer may be above the least.",
                       layer_rows(layers));
  std::size_t i = 0;
  for (const Json& layer : layers) body += layer_section(layer, ++i);
  body += html_section("Question", "", question(json)) + "</main>\n";
  return html_page(title, body, program);
}

std::optional<std::string> map_answer_text(const std::string& file) {
  if (is_sqlite_file(file)) return std::nullopt;
  Result<std::string> text = read_text_file(file);
  if (!text) return std::nullopt;
  const std::size_t first = text->find_first_not_of(" \t\r\n");
  return first != std::string::npos && (*text)[first] == '{' ? std::optional(std::move(*text)) : std::nullopt;
}

}  // namespace heliolite
