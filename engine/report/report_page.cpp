#include "engine/report/report_page.h"

#include <algorithm>
#include <optional>

#include "engine/base/embedded.h"
#include "engine/base/mapped.h"
#include "engine/base/named.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

double EnergyPart::energy_pj() const {
  return sum_of<double>(tensors, [](const auto& tensor) { return tensor.second; });
}

void EnergyPart::add(std::string_view tensor, double energy_pj) {
  const auto found =
      std::ranges::find(tensors, tensor, [](const auto& entry) { return std::string_view(entry.first); });
  if (found != tensors.end()) found->second += energy_pj;
  else tensors.emplace_back(tensor, energy_pj);
}

std::vector<EnergyPart> energy_parts(std::string_view breakdown) {
  std::vector<EnergyPart> parts;
  const auto json = nlohmann::ordered_json::parse(breakdown, nullptr, false);
  if (!json.is_object()) return parts;
  for (const auto& [name, value] : json.items()) {
    EnergyPart part{name, {}};
    if (value.is_number()) part.add("", value.get<double>());
    if (value.is_object())
      for (const auto& [tensor, energy] : value.items())
        if (energy.is_number()) part.add(tensor, energy.get<double>());
    if (!part.tensors.empty()) parts.push_back(std::move(part));
  }
  return parts;
}

EnergyPart& part_named(std::vector<EnergyPart>& parts, std::string_view name) {
  const auto found = std::ranges::find(parts, name, [](const EnergyPart& part) { return std::string_view(part.name); });
  if (found != parts.end()) return *found;
  return parts.emplace_back(EnergyPart{std::string(name), {}});
}

namespace {

using Json = nlohmann::ordered_json;

// ["K in 4", "C in 3 (last 2)"] of the loops under `key`, each a map of one dimension.
Json nest_loops(const YamlNode& level, std::string_view key, const std::string& between) {
  Json loops = Json::array();
  const std::optional<YamlNode> list = level.find(key);
  if (!list || !list->is_sequence()) return loops;
  for (std::size_t i = 0; i < list->size(); ++i)
    for (const std::string& dimension : list->at(i).keys()) {
      const YamlNode factor = *list->at(i).find(dimension);
      const bool uneven = factor.is_sequence() && factor.size() == 2;
      loops.push_back(uneven ? dimension + between + factor.at(0).text() + " (last " + factor.at(1).text() + ")"
                             : dimension + between + factor.text());
    }
  return loops;
}

Json room_json(const LevelRoom& room) {
  Json words = Json::array();
  for (const LevelRoom::Kept& kept : room.kept)
    words.push_back({kept.tensor, kept.words, std::string(name(kept.role))});
  return {{"used", room.used_words},
          {"capacity", room.capacity_words == 0 ? Json() : Json(room.capacity_words)},
          {"words", std::move(words)}};
}

}  // namespace

Json mapping_json(const std::string& mapping, std::span<const LevelRoom> rooms) {
  const Result<YamlNode> document = YamlNode::parse(mapping, "mapping");
  const std::optional<YamlNode> levels = document ? document->find("mapping") : std::nullopt;
  if (!levels || !levels->is_sequence()) return nullptr;
  Json nest = Json::array();
  for (std::size_t i = 0; i < levels->size(); ++i) {
    const YamlNode level = levels->at(i);
    const std::optional<YamlNode> name = level.find("level"), kept = level.find("keep");
    const std::optional<YamlNode> spatial = level.find("spatial");
    Json keep = Json::array();
    if (kept && kept->is_sequence())
      for (std::size_t k = 0; k < kept->size(); ++k) keep.push_back(kept->at(k).text());
    Json entry = {{"level", name ? name->text() : ""},
                  {"keep", std::move(keep)},
                  {"loops", nest_loops(level, "temporal", " in ")},
                  {"x", spatial ? nest_loops(*spatial, "x", " ") : Json::array()},
                  {"y", spatial ? nest_loops(*spatial, "y", " ") : Json::array()}};
    // Uneven mappings have several entries of a level; rooms come in the same order.
    if (!rooms.empty() && rooms.front().level == entry["level"]) {
      entry["room"] = room_json(rooms.front());
      rooms = rooms.subspan(1);
    }
    nest.push_back(std::move(entry));
  }
  return nest;
}

std::span<const EmbeddedFile> embedded_report_page();  // generated from engine/report/page and the chart library

namespace {

constexpr std::string_view kCharts = "charts.js";

std::string_view file(std::string_view name) {
  const EmbeddedFile* const found = find_row(embedded_report_page(), name);
  return found == nullptr ? std::string_view() : found->text;
}

// Our own, in the order in which they were embedded: each uses what stands before it.
std::string scripts() {
  std::string text;
  for (const EmbeddedFile& script : embedded_report_page())
    if (script.name.ends_with(".js") && script.name != kCharts) text += script.text;
  return text;
}

// What stands for {{name}} in page.html.
std::string page_part(std::string_view name, const ReportData& data, const std::string& program,
                      const std::string& state) {
  if (name == "style") return std::string(file("style.css"));
  if (name == "charts") return std::string(file(kCharts));
  if (name == "scripts") return scripts();
  if (name == "state") return state.empty() ? "" : " data-state=\"" + state + "\"";
  if (name == "connect") return state.empty() ? "" : "; connect-src 'self'";
  if (name == "data") return report_json(data, program);
  return "";
}

}  // namespace

Result<std::string> report_page(const ReportData& data, const std::string& program, const std::string& state) {
  if (file(kCharts).empty())
    return Diagnostic{"", 0, "",
                      "this program was built without the chart library of its reports, which npm fetches: npm was not "
                      "installed or could not reach its registry; install it (./heliolite --packages report does) and "
                      "build again"};
  std::string page;
  std::string_view rest = file("page.html");
  for (std::size_t open = 0; (open = rest.find("{{")) != std::string_view::npos;) {
    const std::size_t close = rest.find("}}", open);
    page += rest.substr(0, open);
    page += page_part(rest.substr(open + 2, close - open - 2), data, program, state);
    rest.remove_prefix(close + 2);
  }
  return page + std::string(rest);
}

}  // namespace heliolite
