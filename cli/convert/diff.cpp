// heliolite diff: in what two machines, workloads, mappings or schedules differ, and what the last two cost where.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "arch/architecture_yaml.h"
#include "cli/convert/recognise.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_mapping.h"
#include "engine/formats/load_network.h"
#include "engine/model/cost_model.h"
#include "engine/model/mapping_yaml.h"
#include "engine/network/fused_breakdown.h"
#include "engine/network/schedule_yaml.h"
#include "workloads/workload_yaml.h"

namespace heliolite::cli {
namespace {

struct DiffArguments {
  std::string a, b, architecture, workload, layer;
  ReadOptions reading;
};

enum class Compared : u8 { Machines, Workloads, Mappings, Schedules };

// What is compared, and the answer.
struct Comparison {
  Compared what = Compared::Machines;
  FieldDifferences differences;
  // Energies of both mappings or schedules by place, in pJ; the totals are the last.
  struct Share {
    std::string place;
    double a = 0, b = 0;
  };
  std::vector<Share> energies;
  u64 cycles_a = 0, cycles_b = 0;

  bool has_costs() const { return !energies.empty(); }
};

std::string_view name(Compared what) {
  constexpr std::array<std::string_view, 4> kNames{"machines", "workloads", "mappings", "schedules"};
  return kNames[at(what)];
}

// What one argument is; nothing, after adding to `errors`, if that cannot be told.
std::optional<Compared> kind_of(const std::string& given, const ReadOptions& reading, Diagnostics& errors) {
  std::error_code ignored;
  const std::vector<std::string> parts = split(given, ',');
  const bool whole = std::filesystem::is_regular_file(given, ignored);
  const std::string first = whole || parts.empty() ? given : parts.front();
  if (whole || std::filesystem::is_regular_file(first, ignored)) {
    const Recognised file = recognise(first, reading);
    if (file.belongs_to_machine()) return Compared::Machines;
    if (file.is_workload()) return Compared::Workloads;
    if (file.is_schedule()) return Compared::Schedules;
    if (file.is_mapping()) return Compared::Mappings;
    errors.insert(errors.end(), file.errors.begin(), file.errors.end());
    if (file.errors.empty()) errors.push_back({given, 0, "", "is no machine, workload, mapping or schedule"});
    return std::nullopt;
  }
  const std::vector<std::string> machines = architecture_preset_names();
  return std::ranges::find(machines, given) != machines.end() ? Compared::Machines : Compared::Workloads;
}

template <class T>
Result<Comparison> compared(Compared what, const Result<T>& a, const Result<T>& b) {
  Diagnostics errors;
  for (const Result<T>* one : {&a, &b})
    if (!*one) errors.insert(errors.end(), one->errors().begin(), one->errors().end());
  if (!errors.empty()) return errors;
  return Comparison{what, differences(*a, *b), {}, 0, 0};
}

double level_picojoules(const LevelBreakdown& level) { return (level.leakage + level.access_energy()).picojoules(); }

Result<Comparison> compared_mappings(const DiffArguments& arguments, const Output& output) {
  if (arguments.architecture.empty() || arguments.workload.empty())
    return Diagnostic{"", 0, "", "mappings are compared on a machine, for a workload: give -a and -w"};
  const Result<MappedLayer> a =
      load_mapped_layer({arguments.architecture, arguments.workload, arguments.layer, arguments.a}, arguments.reading);
  const Result<MappedLayer> b =
      load_mapped_layer({arguments.architecture, arguments.workload, arguments.layer, arguments.b}, arguments.reading);
  if (!a) return a.errors();
  if (!b) return b.errors();
  if (a->architecture.compute.name != b->architecture.compute.name)
    return Diagnostic{arguments.b, 0, "unit",
                      fmt::format("is on {}, {} on {}: mappings on one compute unit are compared",
                                  b->architecture.compute.name, arguments.a, a->architecture.compute.name)};
  output.report_notes(a->notes);
  Comparison out{Compared::Mappings, differences(a->mapping, b->mapping, a->workload, a->architecture), {}, 0, 0};
  const CostModel model(a->workload, a->architecture);
  const Breakdown x = model.explain(a->mapping), y = model.explain(b->mapping);
  for (std::size_t i = x.level.size(); i-- > 0;) {
    out.energies.push_back({x.level[i].name, level_picojoules(x.level[i]), level_picojoules(y.level[i])});
    const Energy of_a = x.level[i].network_energy(), of_b = y.level[i].network_energy();
    if (of_a.units != 0 || of_b.units != 0)
      out.energies.push_back({"network below " + x.level[i].name, of_a.picojoules(), of_b.picojoules()});
  }
  out.energies.push_back({x.compute.name, x.compute.energy.picojoules(), y.compute.energy.picojoules()});
  out.energies.push_back({"total", x.energy.picojoules(), y.energy.picojoules()});
  out.cycles_a = x.cycles;
  out.cycles_b = y.cycles;
  return out;
}

Result<ScheduledNetwork> load_schedule(const DiffArguments& arguments, const std::string& path) {
  const Result<MappingFile> file = MappingFile::load(path, arguments.reading);
  if (!file) return file.errors();
  return load_scheduled_network({arguments.architecture, arguments.workload, arguments.layer, path}, *file,
                                arguments.reading);
}

Result<Comparison> compared_schedules(const DiffArguments& arguments, const Output& output) {
  if (arguments.architecture.empty() || arguments.workload.empty())
    return Diagnostic{"", 0, "", "schedules are compared on a machine, for a network: give -a and -w"};
  const Result<ScheduledNetwork> a = load_schedule(arguments, arguments.a), b = load_schedule(arguments, arguments.b);
  if (!a) return a.errors();
  if (!b) return b.errors();
  output.report_notes(a->notes);
  const auto priced = [](const ScheduledNetwork& n) {
    Result<ScheduleBreakdown> cost = schedule_breakdown(n.file.schedule, n.graph, n.architecture, n.file.rules);
    return cost ? cost : Result<ScheduleBreakdown>(n.file.placed(cost.errors(), n.graph));
  };
  const Result<ScheduleBreakdown> x = priced(*a), y = priced(*b);
  if (!x) return x.errors();
  if (!y) return y.errors();
  Comparison out{Compared::Schedules, differences(a->file, b->file, a->graph, a->architecture), {}, 0, 0};
  Comparison::Share sums{"sums of several arrays"};
  for (std::size_t l = 0; l < a->graph.links.size(); ++l) {
    const u64 runs = a->graph.links[l].count;
    out.energies.push_back({a->graph.links[l].workload.name, (x->links[l].breakdown.energy * runs).picojoules(),
                            (y->links[l].breakdown.energy * runs).picojoules()});
  }
  const auto of_sums = [&](const ScheduledNetwork& n, const ScheduleBreakdown& cost) {
    Energy sum;
    std::size_t term = 0;
    for (std::size_t g = 0; g < cost.plans.size(); ++g)
      for (std::size_t k = 0; k < cost.plans[g].terms.size(); ++k)
        sum += cost.term_costs[term++].energy * n.graph.links[n.file.schedule.groups[g].first].count;
    return sum.picojoules();
  };
  sums.a = of_sums(*a, *x);
  sums.b = of_sums(*b, *y);
  if (sums.a != 0 || sums.b != 0) out.energies.push_back(sums);
  out.energies.push_back({"total", x->total.energy.picojoules(), y->total.energy.picojoules()});
  out.cycles_a = x->total.cycles;
  out.cycles_b = y->total.cycles;
  return out;
}

Result<Comparison> compare(const DiffArguments& arguments, const Output& output) {
  Diagnostics errors;
  const std::optional<Compared> a = kind_of(arguments.a, arguments.reading, errors),
                                b = kind_of(arguments.b, arguments.reading, errors);
  if (!errors.empty()) return errors;
  if (*a != *b)
    return Diagnostic{"", 0, "",
                      fmt::format("{} is one of the {}, {} one of the {}: nothing to compare", arguments.a, name(*a),
                                  arguments.b, name(*b))};
  const ReadOptions& reading = arguments.reading;
  if (*a == Compared::Machines) {
    if (Diagnostics refused = refuse_model_options(reading, "machines are compared"); !refused.empty()) return refused;
    return compared(*a, load_architecture(arguments.a, reading), load_architecture(arguments.b, reading));
  }
  if (*a == Compared::Mappings) return compared_mappings(arguments, output);
  if (*a == Compared::Schedules) return compared_schedules(arguments, output);
  const ReadOptions both = for_several(reading);
  const Result<Network> x = load_workload(arguments.a, both, output), y = load_workload(arguments.b, both, output);
  if (!x || !y) return compared(*a, x, y);
  if (Diagnostics unused = unused_model_options(both); !unused.empty()) return unused;
  return compared(*a, x, y);
}

// With six digits for numbers that have more.
std::string rounded(const std::string& text) {
  static const std::regex kLongNumber(R"([0-9]+\.[0-9]{6,}(e[-+]?[0-9]+)?)");
  std::string out;
  std::string::const_iterator from = text.begin();
  for (std::sregex_iterator i(text.begin(), text.end(), kLongNumber), end; i != end; ++i) {
    out.append(from, (*i)[0].first);
    from = (*i)[0].second;
    const auto value = parse_number<double>(i->str());
    out += value ? fmt::format("{:.6g}", *value) : i->str();
  }
  return out.append(from, text.end());
}

std::string text_of(const Comparison& answer) {
  std::string text;
  if (answer.differences.empty()) {
    text = fmt::format("the {} are the same\n", name(answer.what));
  } else {
    Table table({"<field", "<first", "<second"});
    for (const FieldDifference& d : answer.differences) {
      const std::string a = rounded(d.a), b = rounded(d.b);
      const bool told_apart = a != b;
      table.row({d.field, told_apart ? a : d.a, told_apart ? b : d.b});
    }
    text = table.to_string();
  }
  if (!answer.has_costs()) return text;
  Table costs({"<energy [pJ]", "first", "second", "second - first"});
  for (const Comparison::Share& share : answer.energies) {
    if (&share == &answer.energies.back()) costs.rule();
    costs.row({share.place, fmt::format("{:.6g}", share.a), fmt::format("{:.6g}", share.b),
               fmt::format("{:+.6g}", share.b - share.a)});
  }
  costs.row({"cycles", grouped(answer.cycles_a), grouped(answer.cycles_b),
             answer.cycles_b < answer.cycles_a ? fmt::format("-{}", answer.cycles_a - answer.cycles_b)
                                               : fmt::format("+{}", answer.cycles_b - answer.cycles_a)});
  return text + "\n" + costs.to_string();
}

Json json_of(const DiffArguments& arguments, const Comparison& answer) {
  Json json = answer_head("diff");
  json["question"] = {{"first", arguments.a},
                      {"second", arguments.b},
                      {"architecture", arguments.architecture},
                      {"workload", arguments.workload},
                      {"layer", arguments.layer}};
  json["what"] = name(answer.what);
  json["same"] = answer.differences.empty();
  json["differences"] = Json::array();
  for (const FieldDifference& d : answer.differences)
    json["differences"].push_back({{"field", d.field}, {"first", d.a}, {"second", d.b}});
  json["costs"] = nullptr;
  if (!answer.has_costs()) return json;
  json["costs"] = {{"energy_pj", Json::array()}, {"cycles", {answer.cycles_a, answer.cycles_b}}};
  for (const Comparison::Share& share : answer.energies)
    json["costs"]["energy_pj"].push_back({{"place", share.place}, {"first", share.a}, {"second", share.b}});
  return json;
}

int run_diff(const DiffArguments& arguments, const Output& output) {
  const Result<Comparison> answer = compare(arguments, output);
  if (!answer) return fail(answer.errors());
  output.table(text_of(*answer));
  if (!output.json(json_of(arguments, *answer))) return kBadInput;
  return answer->differences.empty() ? kSuccess : kNegative;
}

}  // namespace

void add_diff_command(CommandLine& line) {
  auto arguments = std::make_shared<DiffArguments>();
  const Command command(line, "diff", "In what two machines, workloads, mappings or schedules differ");
  command.value("first", arguments->a, "A|W|FILE", "As for -a, -w or -m; files are told apart by content")->required();
  command.value("second", arguments->b, "A|W|FILE", "What it is compared with")->required();
  command.value("-a,--architecture", arguments->architecture, "A", "Machine of two mappings or schedules");
  command.value("-w,--workload", arguments->workload, "W", "Workload of two mappings or schedules");
  command.value("-l,--layer", arguments->layer, "LAYER", "Layer of two mappings, when the workload has several");
  add_read_options(*command, arguments->reading);
  command.runs(arguments, run_diff,
               "Exit code 0 when they are the same, 1 when they differ.\n\nExamples:\n"
               "  heliolite diff eyeriss arch.yaml,ert.yaml\n  heliolite diff resnet18/conv1 problem.yaml\n"
               "  heliolite diff best.json mine.yaml -a eyeriss -w resnet18 --layer conv1\n"
               "  heliolite diff fused.yaml unfused.yaml -a machine.yaml -w network.yaml");
}

}  // namespace heliolite::cli
