#include "cli/verify/verify_text.h"

#include <fmt/format.h>

#include "cli/ui/colour.h"
#include "cli/ui/table.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kDifferencesShown = 6;  // of one record

}  // namespace

std::string mismatched_text(const VerifyTally& t, const std::string& number) {
  return t.mismatched == 0 ? number : painted(number, Tone::Bad);
}

Json tally_json(const VerifyTally& t) {
  return {{"matched", t.matched}, {"mismatched", t.mismatched}, {"skipped", t.skipped}};
}

Json mismatch_json(const Mismatch& m) {
  Json differences = Json::array();
  for (const Difference& d : m.differences) {
    differences.push_back({{"where", d.where}, {"expected", d.expected}, {"ours", d.ours}});
  }
  Json json = {{"id", m.id}, {"line", m.line}, {"differences", differences}};
  if (!m.refused.empty()) json["refused"] = m.refused;
  return json;
}

std::string mismatch_text(const std::string& file, const Mismatch& m) {
  std::string text = fmt::format("\n{}:{}: {}\n", file, m.line, m.id);
  if (!m.refused.empty()) return text + "  the mapping is refused: " + m.refused + "\n";
  Table table({"<number", "expected", "ours"});
  for (std::size_t i = 0; i < m.differences.size() && i < kDifferencesShown; ++i) {
    const Difference& d = m.differences[i];
    table.row({d.where, fmt::format("{:.12g}", d.expected), fmt::format("{:.12g}", d.ours)});
  }
  text += table.to_string();
  if (m.differences.size() > kDifferencesShown) {
    text += fmt::format("  and {} more numbers\n", m.differences.size() - kDifferencesShown);
  }
  return text;
}

std::string unseen_text(const VerifyTally& total, std::size_t shown) {
  if (shown == 0 || total.mismatched <= shown) return "";
  return fmt::format("\n{} more records differ; --show {} prints them\n", total.mismatched - shown, total.mismatched);
}

}  // namespace heliolite::cli
