#include "engine/search/bayes/learned_fields.h"

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

}  // namespace heliolite
