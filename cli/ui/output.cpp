#include "cli/ui/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <stdexcept>

#include "cli/ui/file_writer.h"
#include "cli/ui/lines.h"
#include "engine/base/file_claims.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kMaxComplaints = 50;

// False after complaining.
bool write_parts(const std::string& option, const std::string& target,
                 const std::function<Diagnostics(std::ostream&)>& parts) {
  FileWriter file(target);
  if (const Diagnostics errors = parts(file.stream()); !errors.empty()) {
    fail(errors);
    return false;
  }
  const std::string why = file.finish();
  if (why.empty()) return true;
  const std::string prefix = option.empty() ? "" : option + ": ";
  fail(fmt::format("{}{} cannot be written: {}", prefix, target == "-" ? "standard output" : target, why));
  return false;
}

auto whole(const std::string& text) {
  return [&text](std::ostream& out) {
    out << text;
    return Diagnostics{};
  };
}

}  // namespace

void Output::add_target(std::string option, const std::string& target) {
  const bool known = std::ranges::any_of(targets_, [&](const auto& t) { return t.second == &target; });
  if (!known) targets_.emplace_back(std::move(option), &target);
}

bool Output::claim_targets() const {
  FileClaims& claims = FileClaims::of_program();
  if (const Diagnostics errors = claims.claim_standard_streams(); !errors.empty()) {
    fail(errors);
    return false;
  }
  return std::ranges::all_of(targets_, [&](const auto& t) { return t.second->empty() || claim(t.first, *t.second); });
}

bool Output::claim(const std::string& option, const std::string& target) const {
  Diagnostics errors = FileClaims::of_program().claim(option, target);
  if (errors.empty())
    if (const std::string why = unwritable(target); !why.empty())
      errors.push_back({"", 0, option, fmt::format("{} cannot be written: {}", target, why)});
  if (!errors.empty()) fail(errors);
  return errors.empty();
}

void Output::table(const std::string& text) const {
  if (!FileClaims::of_program().takes_stdout() && !write_parts("", "-", whole(fitted(for_stdout(text))))) lost_ = true;
}

void Output::note(const std::string& text) const {
  if (!quiet) std::fputs((visible(text, "\n") + "\n").c_str(), stderr);
}

void Output::report_notes(const std::vector<std::string>& notes) const {
  if (!reported_notes_) reported_notes_.emplace();
  for (const std::string& text : notes) {
    note("heliolite: note: " + text);
    if (std::ranges::find(*reported_notes_, text) == reported_notes_->end()) reported_notes_->push_back(text);
  }
}

bool Output::json(const nlohmann::ordered_json& answer) const {
  if (json_target.empty()) return true;
  nlohmann::ordered_json complete = answer;
  if (reported_notes_ && complete.is_object() && !complete.contains("notes")) complete["notes"] = *reported_notes_;
  // Names from files may hold broken UTF-8; they are shown with replacement characters.
  return write("--json", complete.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

bool Output::write(const std::string& option, const std::string& text) const { return write(option, whole(text)); }

bool Output::write(const std::string& option, const std::function<Diagnostics(std::ostream&)>& parts) const {
  const std::optional<std::string> target = FileClaims::of_program().target(option);
  if (!target) {
    const bool known = std::ranges::any_of(targets_, [&](const auto& t) { return t.first == option; });
    if (!known) throw std::logic_error(option + " was not claimed before it is written");
    return true;
  }
  if (const Diagnostics errors = FileClaims::of_program().recheck(option); !errors.empty()) {
    fail(errors);
    return false;
  }
  return write_parts(option, *target, parts);
}

bool Output::document(const std::string& target, const std::string& text) const {
  if (!target.empty()) return write("-o", text);
  return json_to_stdout() || (claim("-o", "-") && write("-o", text));
}

int fail(const Diagnostics& errors) {
  std::string text;
  for (std::size_t i = 0; i < errors.size() && i < kMaxComplaints; ++i) {
    text += painted_complaint("heliolite:", Tone::Bad) + " " + errors[i].to_string() + "\n";
  }
  if (errors.size() > kMaxComplaints) text += fmt::format("heliolite: and {} more\n", errors.size() - kMaxComplaints);
  std::fwrite(text.data(), 1, text.size(), stderr);
  return kBadInput;
}

int fail(const std::string& message) { return fail(Diagnostics{{"", 0, "", message}}); }

}  // namespace heliolite::cli
