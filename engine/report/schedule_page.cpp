// The page of a network whose layers may be fused, as `map --fuse --json` writes it.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "engine/report/answer_json.h"
#include "engine/report/answer_page.h"
#include "engine/report/html.h"

namespace heliolite {
namespace {

using namespace answer_json;

// The picture as an image: what stands in it can draw and nothing else.
std::string image(const std::string& svg, const char* what) {
  std::string address = "data:image/svg+xml,";
  for (const char c : svg) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) address += c;
    else address += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return fmt::format("<img src=\"{}\" alt=\"{}\" style=\"max-width:100%;background:#fff\">\n", address,
                     html_text(what));
}

std::string schedule_summary(const Json& answer) {
  const Json &network = part(answer, "network"), &rates = part(answer, "rates"), &unfused = part(network, "unfused");
  const auto value = number(network, "value"), alone = number(unfused, "value"), seconds = number(rates, "seconds");
  const auto watts = number(rates, "watts"), tops = number(rates, "tops");
  const std::string cycles = whole(number(answer, "cycles")) + " cycles";
  std::string out = "<dl id=\"summary\" aria-label=\"Summary\">";
  out += html_fact("Energy", energy(number(answer, "energy_pj")),
                   unfused.is_object() ? "not fused " + energy(number(unfused, "energy_pj")) : "");
  out += seconds ? html_fact("Time", with_prefix(*seconds, "s"), cycles) : html_fact("Time", cycles);
  if (watts) out += html_fact("Power", with_prefix(*watts, "W"));
  if (tops)
    out +=
        html_fact("Throughput", fmt::format("{:.4g} TOPS", *tops), digits(number(rates, "tops_per_watt")) + " TOPS/W");
  if (value && alone && *value > 0)
    out += html_fact("Gain of fusing", fmt::format("{:.3g} ×", *alone / *value),
                     "less " + text(network, "objective") + " than with no layer fused");
  out += html_fact("How sure", text(network, "status"),
                   number(network, "gap") ? "at most " + share(number(network, "gap")) + " above the least" : "");
  const Json& bytes = part(answer, "edge_bytes");
  out += html_fact("Edges", whole(number(bytes, "stay")) + " of " + whole(number(bytes, "edges")) + " stay inside",
                   whole(number(bytes, "bytes_stay")) + " of " + whole(number(bytes, "bytes")) + " bytes");
  return out + "</dl>\n";
}

std::string names_text(const Json& names) {
  std::string words;
  for (const Json& name : names)
    if (name.is_string()) words += (words.empty() ? "" : ", ") + name.get<std::string>();
  return html_text(words);
}

std::string group_rows(const Json& answer) {
  HtmlTable table({"group", "<fused at", "<layers", "runs", "energy", "cycles"});
  std::size_t i = 0;
  for (const Json& group : part(answer, "groups"))
    table.row({std::to_string(++i), html_text(text(group, "level")), names_text(part(group, "layers")),
               whole(number(group, "count")), energy(number(group, "energy_pj")), whole(number(group, "cycles"))});
  return table.to_string();
}

std::string link_rows(const Json& answer) {
  const Json& links = part(answer, "links");
  const bool has_units = std::ranges::any_of(links, [](const Json& link) { return !text(link, "unit").empty(); });
  std::vector<std::string> headings{"<layer", "group", "passes", "<stay at home", "room of homes", "energy", "cycles"};
  if (has_units) headings.insert(headings.begin() + 1, "<unit");
  HtmlTable table(headings);
  for (const Json& link : links) {
    const auto group = number(link, "group");
    std::vector<std::string> row{html_text(text(link, "name")),        group ? whole(*group + 1) : "",
                                 whole(number(link, "passes")),        names_text(part(link, "at_home")),
                                 whole(number(link, "room_of_homes")), energy(number(link, "energy_pj")),
                                 whole(number(link, "cycles"))};
    if (has_units) row.insert(row.begin() + 1, html_text(text(link, "unit")));
    table.row(row);
  }
  return table.to_string();
}

std::string edge_rows(const Json& answer) {
  const std::string outermost = text(part(answer, "outermost"), "level");
  HtmlTable table({"<array", "<to", "<stays at", "words", "bytes", outermost + " bytes read", "written"});
  for (const Json& edge : part(answer, "edges")) {
    const bool stays = part(edge, "stays") == true;
    table.row({html_text(text(edge, "array")), html_text(text(edge, "to")), stays ? html_text(text(edge, "level")) : "",
               whole(number(edge, "words")), whole(number(edge, "bytes")), whole(number(edge, "bytes_read")),
               whole(number(edge, "bytes_written"))});
  }
  return table.to_string();
}

std::string apart_rows(const Json& answer) {
  HtmlTable table({"<arrays", "<why no group has them inside"});
  for (const Json& one : part(answer, "kept_apart"))
    table.row({names_text(part(one, "arrays")), html_text(text(one, "why"))});
  return table.to_string();
}

// Fused, not fused, and what nothing is below.
std::string comparison_rows(const Json& answer) {
  const Json &network = part(answer, "network"), &unfused = part(network, "unfused"),
             &outermost = part(answer, "outermost");
  HtmlTable table({"<", text(outermost, "level") + " words", "energy", "cycles", text(network, "objective")});
  const auto words = number(outermost, "words_read"), written = number(outermost, "words_written");
  table.row({"fused", words && written ? whole(*words + *written) : "", energy(number(answer, "energy_pj")),
             whole(number(answer, "cycles")), digits(number(network, "value"))});
  if (unfused.is_object())
    table.row({"not fused", whole(number(unfused, "words")), energy(number(unfused, "energy_pj")),
               whole(number(unfused, "cycles")), digits(number(unfused, "value"))});
  table.row({"no schedule is below", "", "", "", digits(number(network, "lower_bound"))});
  return table.to_string();
}

}  // namespace

bool is_schedule_answer(const Json& answer) {
  return text(answer, "command") == "map" && part(answer, "schedule").is_string() && part(answer, "groups").is_array();
}

std::string schedule_page(const Json& answer, const std::string& program) {
  const std::string title =
      text(answer, "name") + " on " + text(part(part(answer, "question"), "architecture"), "name");
  std::string body = fmt::format(
      "<header><p class=\"brand\">Heliolite map</p><h1>{}</h1>\n<p class=\"note\">The network as {}.</p></header>\n"
      "<main>",
      html_text(title), html_text(text(answer, "schedule")));
  body += schedule_summary(answer);
  if (const std::string picture = text(answer, "picture"); !picture.empty())
    body += html_section("Groups of layers, and what stays inside over time", "",
                         image(picture, "The layers as a graph with their groups, and the room taken while they run"));
  if (part(answer, "network").is_object())
    body += html_section("Fused and not fused", "The whole network.", comparison_rows(answer));
  body += html_section("Groups", "", group_rows(answer)) + html_section("Layers", "All runs.", link_rows(answer)) +
          html_section("Edges", "What one layer makes for another.", edge_rows(answer));
  if (!part(answer, "kept_apart").empty()) body += html_section("Cannot stay inside", "", apart_rows(answer));
  const std::string why = text(part(answer, "network"), "why_not_proven");
  if (!why.empty()) body += html_section("Why not proven", why, "");
  return html_page(title, body + "</main>\n", program);
}

}  // namespace heliolite
