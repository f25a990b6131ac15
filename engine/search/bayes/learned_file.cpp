// What searches of strategy bayes learned, as a YAML file (docs/bayes.md).
#include "engine/search/bayes/bayes_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <utility>

#include "engine/base/text.h"

namespace heliolite {

const FieldTable& learned_file_fields() {
  static const FieldTable table{
      "learned file",
      "Mappings that searches have priced, for another search to begin with.",
      {required({"tasks", shape::list(shape::map(learned_task_fields())), "What was searched."})}};
  return table;
}

const FieldTable& learned_task_fields() {
  static const FieldTable table{
      "learned task",
      "A workload on a machine, and what its mappings cost.",
      {required({"machine", shape::text(), "Name of the machine."}),
       required({"workload", shape::text(), "Name of the workload."}),
       required({"objective", shape::text(), "What was minimised: an objective, or an evaluator's command."}),
       required({"coordinates", shape::names(shape::number(0, kMostCoordinate)),
                 "Logarithms of sizes and capacities, by which tasks differ.", "log2"}),
       required({"features", shape::names(shape::integer(0, kMostChoices)),
                 "What differs between mappings, and in how many ways."}),
       required({"points", shape::list(shape::list(shape::number(0, 1))), "Each mapping, by its features."}),
       required({"values", shape::list(shape::number(-kMostLearnedValue, kMostLearnedValue)),
                 "What each of these mappings costs.", "log of a ratio"})}};
  return table;
}

namespace {

std::vector<double> numbers(const YamlNode& list, double low, double high, Diagnostics& errors) {
  std::vector<double> out;
  if (!list.is_sequence()) errors.push_back(list.error("must be a list of numbers"));
  for (std::size_t k = 0; list.is_sequence() && k < list.size(); ++k) {
    const auto number = list.at(k).as_number();
    if (!number || *number < low || *number > high)
      errors.push_back(list.at(k).error(fmt::format("must be a number from {:g} to {:g}", low, high)));
    out.push_back(number.value_or(low));
  }
  return out;
}

void read_points(FieldReader& reader, LearnedTask& task, Diagnostics& errors) {
  const auto points = reader.child("points");
  const auto values = reader.child("values");
  if (!points || !values) return;
  if (!points->is_sequence()) return errors.push_back(points->error("must be a list of points"));
  for (std::size_t k = 0; k < points->size(); ++k) {
    task.point.push_back(numbers(points->at(k), 0, 1, errors));
    if (task.point.back().size() != task.feature.size())
      errors.push_back(points->at(k).error(fmt::format("has {} numbers, must have one for each of the {} features",
                                                       task.point.back().size(), task.feature.size())));
  }
  task.value = numbers(*values, -kMostLearnedValue, kMostLearnedValue, errors);
  if (task.value.size() != task.point.size())
    errors.push_back(values->error(
        fmt::format("has {} numbers, must have one for each of the {} points", task.value.size(), task.point.size())));
}

LearnedTask read_task(const YamlNode& node, Diagnostics& errors) {
  LearnedTask task;
  FieldReader reader(node, learned_task_fields(), errors);
  task.machine = reader.string("machine").value_or("");
  task.workload = reader.string("workload").value_or("");
  task.objective = reader.string("objective").value_or("");
  if (!task.objective.empty() && !parse_objective(task.objective) && !task.objective.starts_with(kValueFrom))
    reader.error(fmt::format("objective = {}, must be {}, or '{}' and a command", task.objective,
                             join(objective_names()), kValueFrom));
  if (const auto coordinates = reader.child("coordinates")) {
    MapReader each(*coordinates, errors);
    for (const std::string& key : coordinates->keys())
      if (const auto number = each.number(key, 0, kMostCoordinate)) task.coordinate[key] = *number;
  }
  if (const auto features = reader.child("features")) {
    MapReader each(*features, errors);
    for (const std::string& key : features->keys()) {
      task.feature.push_back(key);
      task.choices.push_back(static_cast<u32>(each.integer(key, 0, kMostChoices).value_or(0)));
    }
  }
  read_points(reader, task, errors);
  reader.finish();
  return task;
}

}  // namespace

std::string learned_text(const std::vector<LearnedTask>& tasks) {
  std::string out = "# Mappings priced by heliolite map --strategy bayes, for --from.\ntasks:\n";
  for (const LearnedTask& task : tasks) {
    out += fmt::format("  - machine: {}\n    workload: {}\n    objective: {}\n", yaml_scalar(task.machine),
                       yaml_scalar(task.workload), yaml_scalar(task.objective));
    out += fmt::format("    coordinates:{}\n", task.coordinate.empty() ? " {}" : "");
    for (const auto& [name, number] : task.coordinate) out += fmt::format("      {}: {}\n", yaml_scalar(name), number);
    out += fmt::format("    features:{}\n", task.feature.empty() ? " {}" : "");
    for (std::size_t m = 0; m < task.feature.size(); ++m)
      out += fmt::format("      {}: {}\n", yaml_scalar(task.feature[m]), task.choices[m]);
    out += "    points:\n";
    for (const auto& point : task.point) out += fmt::format("      - [{}]\n", fmt::join(point, ", "));
    out += fmt::format("    values: [{}]\n", fmt::join(task.value, ", "));
  }
  return out;
}

Diagnostics load_learned(const std::string& path, SearchOptions& options) {
  if (path.empty()) return {};
  const Result<YamlNode> root = YamlNode::load_file(path);
  if (!root) return root.errors();
  Diagnostics errors;
  std::vector<LearnedTask> out;
  FieldReader reader(*root, learned_file_fields(), errors);
  if (const auto tasks = reader.child("tasks")) {
    if (!tasks->is_sequence() || tasks->size() == 0) errors.push_back(tasks->error("must be a list of tasks"));
    else
      for (std::size_t k = 0; k < tasks->size(); ++k) out.push_back(read_task(tasks->at(k), errors));
  }
  reader.finish();
  if (errors.empty()) options.bayes.from = std::make_shared<const std::vector<LearnedTask>>(std::move(out));
  return errors;
}

}  // namespace heliolite
