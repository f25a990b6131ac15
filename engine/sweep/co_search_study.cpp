#include "engine/sweep/co_search_study.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/sweep/design_points.h"

namespace heliolite {
namespace {

struct Question {
  std::string layer;
  std::vector<WeightedLayer> layers;
};

// Each layer alone, all together.
std::vector<Question> questions(const SweepSpec& spec) {
  std::vector<Question> out;
  Question all{"all layers", {}};
  for (const SweepLayer& l : spec.layers) {
    const Workload& workload = l.layer.workload;
    const bool alone = std::count_if(spec.layers.begin(), spec.layers.end(),
                                     [&](const SweepLayer& other) { return other.workload == l.workload; }) == 1;
    out.push_back({alone ? l.workload : l.workload + "/" + workload.name, {{workload, 1}}});
    all.layers.push_back({workload, static_cast<double>(l.layer.count) * l.weight});
  }
  if (out.size() > 1) out.push_back(std::move(all));
  return out;
}

// A split level stands for its innermost buffer, where its loops are.
void list_levels(const Architecture& machine, CoSearchStudy& out) {
  for (std::size_t i = 0; i + 1 < machine.levels.size(); ++i) {
    if (!machine.levels[i].loops_allowed) continue;
    out.levels.push_back(machine.levels[i].name);
    out.level_places.push_back(i);
  }
}

}  // namespace

Result<CoSearchStudy> run_co_search_study(const SweepSpec& spec, const std::vector<Strategy>& strategies,
                                          const std::atomic<bool>* stop, const CoSearchStudyProgress& progress) {
  CoSearchStudy out;
  const DesignPoints points(spec);
  if (points.planned() > kMaxStudyMachines)
    return spec.machine.place.error(fmt::format("{} design points; a study of the co-search takes at most {}",
                                                points.planned(), kMaxStudyMachines));
  std::vector<Architecture> machines;
  for (u64 k = 0; k < points.planned(); ++k) {
    DesignPoint point = points.make(points.id(k));
    if (!point.machine) continue;
    machines.push_back(*std::move(point.machine));
    out.machines.push_back(points.values(point.id));
  }
  const auto family = MachineFamily::create(std::move(machines));
  if (!family) {
    const Place place = spec.parameters.empty() ? spec.machine.place : spec.parameters.front().place;
    return place.error(family.errors().front().message);
  }
  list_levels(family->envelope(), out);
  const std::vector<Question> asked = questions(spec);
  const u64 of = asked.size() * strategies.size();
  for (const Question& question : asked)
    for (const Strategy strategy : strategies) {
      SearchOptions options = spec.options;
      options.strategy = strategy;
      options.stop = stop;
      auto together = co_search(question.layers, *family, options);
      auto grid = grid_search(question.layers, *family, options);
      if (!together) return together.errors();
      if (!grid) return grid.errors();
      out.interrupted = stop != nullptr && stop->load();
      if (out.interrupted) return out;
      out.rows.push_back({question.layer, std::string(name(strategy)), *std::move(together), *std::move(grid)});
      if (progress) progress(out.rows.size(), of, question.layer);
    }
  return out;
}

}  // namespace heliolite
