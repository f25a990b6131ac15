#include "cli/show/show_machine.h"

#include <fmt/format.h>

#include "cli/show/resolved_numbers.h"
#include "cli/ui/figures.h"
#include "cli/ui/table.h"

namespace heliolite::cli {

Json machine_head_json(const Architecture& a) {
  return {{"name", a.name},
          {"description", a.description},
          {"units", a.compute.instances},
          {"technology_nm", a.technology_nm ? Json(*a.technology_nm) : Json()},
          {"cycle_ns", a.cycle_ns ? Json(*a.cycle_ns) : Json()},
          {"area_um2", area_json(a)},
          {"without_area", parts_without_area(a)}};
}

std::string machine_text(const ArchitectureSource& machine) {
  const Architecture& a = machine.architecture;
  std::string text = a.name + (a.description.empty() ? "" : ": " + a.description) + "\n\n";
  text += fmt::format("  {:<12} {} {} units\n", "compute", grouped(a.compute.instances), a.compute.name);
  text += fmt::format("  {:<12} {}\n\n", "area", area_text(a));
  Table table({"<level", "<number", "value", "", "<from"});
  std::string last;
  for (const ResolvedNumber& n : resolved_numbers(machine)) {
    if (n.of != last) table.rule();
    table.row({n.of == last ? "" : n.of, n.key, n.text, n.also, n.from});
    last = n.of;
  }
  return text + table.to_string();
}

void add_machine(Json& answer, const ArchitectureSource& machine) {
  answer["machine"] = machine_head_json(machine.architecture);
  answer["machine"]["hash"] = question(machine.architecture)["hash"];
  answer["numbers"] = Json::array();
  for (const ResolvedNumber& n : resolved_numbers(machine))
    answer["numbers"].push_back(
        {{"of", n.of.empty() ? Json() : Json(n.of)}, {"key", n.key}, {"value", n.value}, {"from", n.from}});
}

}  // namespace heliolite::cli
