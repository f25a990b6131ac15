#include "engine/report/report_page.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "engine/base/embedded.h"
#include "engine/base/named.h"
#include "engine/report/report_data.h"
#include "engine/report/report_json.h"

namespace heliolite {

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
  if (file(kCharts).empty()) {
    return Diagnostic{"", 0, "",
                      "this program was built without the chart library of its reports, which npm fetches: npm was not "
                      "installed or could not reach its registry; install it (./heliolite --packages report does) and "
                      "build again"};
  }
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
