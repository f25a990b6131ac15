#include "engine/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "engine/base/embedded.h"

namespace heliolite {

std::span<const EmbeddedFile> embedded_report_page();  // generated from engine/report/page

namespace {

std::string_view style() {
  const std::span<const EmbeddedFile> files = embedded_report_page();
  const auto found = std::ranges::find(files, "style.css", &EmbeddedFile::name);
  return found == files.end() ? std::string_view() : std::string_view(found->text);
}

std::string cell(std::string_view tag, bool is_text, std::string_view content) {
  return fmt::format("<{}{}>{}</{}>", tag, is_text ? " class=\"text\"" : "", content, tag);
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else if (c == '\'') out += "&#39;";
    else if (code < 0x20 && c != '\n' && c != '\t') out += "\xEF\xBF\xBD";
    else out += c;
  }
  return out;
}

std::string html_link(std::string_view target, std::string_view text) {
  return fmt::format("<a href=\"{}\">{}</a>", html_text(target), html_text(text));
}

HtmlTable::HtmlTable(const std::vector<std::string>& headings) {
  for (const std::string& heading : headings) {
    text_.push_back(heading.starts_with('<'));
    head_ += cell("th", text_.back(), html_text(std::string_view(heading).substr(text_.back() ? 1 : 0)));
  }
}

void HtmlTable::row(const std::vector<std::string>& cells) {
  body_ += "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) body_ += cell("td", i < text_.size() && text_[i], cells[i]);
  body_ += "</tr>\n";
}

std::string HtmlTable::to_string() const {
  return fmt::format("<div class=\"wide\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
                     head_, body_);
}

std::string html_section(std::string_view title, std::string_view note, std::string_view body) {
  const std::string said = note.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", html_text(note));
  return fmt::format("<section><h2>{}</h2>\n{}{}</section>\n", html_text(title), said, body);
}

std::string html_page(std::string_view title, std::string_view body, std::string_view program) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src 'unsafe-inline'\"><meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\"><meta name=\"color-scheme\" content=\"light "
      "dark\"><title>{}</title>\n<style>{}</style></head>\n"
      "<body>\n{}<footer class=\"note\">{}</footer>\n</body></html>\n",
      html_text(title), style(), body, html_text(program));
}

}  // namespace heliolite
