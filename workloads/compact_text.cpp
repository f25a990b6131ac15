#include "workloads/compact_text.h"

#include <fmt/format.h>
#include <algorithm>
#include <limits>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "workloads/einsum_text.h"

namespace heliolite {
namespace {

u64 number(std::string_view digits) {
  constexpr u64 kMax = std::numeric_limits<u64>::max();
  u64 value = 0;
  for (const char c : digits) {
    const u64 digit = static_cast<u64>(c - '0');
    if (value > (kMax - digit) / 10) return kMax;
    value = value * 10 + digit;
  }
  return value;
}

}  // namespace

void TextCursor::skip_space() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
    ++at_;
}

bool TextCursor::take(std::string_view token) {
  skip_space();
  if (!text_.substr(at_).starts_with(token)) return false;
  at_ += token.size();
  return true;
}

std::optional<std::string_view> TextCursor::identifier() {
  skip_space();
  std::size_t end = at_;
  if (end == text_.size() || !is_letter(text_[end])) return std::nullopt;
  while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
  const std::string_view found = text_.substr(at_, end - at_);
  at_ = end;
  return found;
}

std::optional<Digits> TextCursor::digits() {
  skip_space();
  std::size_t end = at_;
  while (end < text_.size() && is_digit(text_[end])) ++end;
  if (end == at_) return std::nullopt;
  const std::string_view found = text_.substr(at_, end - at_);
  at_ = end;
  return Digits{found, number(found)};
}

std::string_view TextCursor::value() {
  skip_space();
  const std::size_t end = std::min(text_.find_first_of(" ,;\t\n\r", at_), text_.size());
  const std::string_view found = text_.substr(at_, end - at_);
  at_ = end;
  return found;
}

bool TextCursor::at_end() {
  skip_space();
  return at_ == text_.size();
}

std::size_t TextCursor::column() {
  skip_space();
  return at_ + 1;
}

Diagnostic TextCursor::error(std::string message) { return error_at(column(), std::move(message)); }

Diagnostic TextCursor::error_at(std::size_t column, std::string message) const {
  return {shortened(text_), 0, fmt::format("column {}", column), std::move(message)};
}

std::string TextCursor::found() {
  TextCursor ahead = *this;
  if (ahead.at_end()) return "the end";
  if (const auto word = ahead.identifier()) return fmt::format("'{}'", shortened(*word));
  if (const auto word = ahead.digits()) return fmt::format("'{}'", shortened(word->text));
  return fmt::format("'{}'", text_[ahead.at_]);
}

namespace {

// Reads the sizes of one family out of a cursor; complaints are collected.
class ArgumentParser {
 public:
  ArgumentParser(const Family& family, TextCursor& cursor) : family_(family), cursor_(cursor) {}

  Result<Arguments> run() {
    TextCursor ahead = cursor_;
    if (ahead.digits() || ahead.take("-")) positional();
    else named();
    if (!errors_.empty()) return errors_;
    return std::move(arguments_);
  }

 private:
  std::vector<std::string> parameters() const { return {family_.parameters.begin(), family_.parameters.end()}; }

  std::string shape() const {
    std::string out;
    for (int i = 0; i < family_.positional; ++i) out += (i > 0 ? "x" : "") + std::string(family_.dimensions[i]);
    return out;
  }

  void complain(std::size_t column, std::string message) {
    errors_.push_back(cursor_.error_at(column, std::move(message)));
  }

  bool separator() { return cursor_.take("x") || cursor_.take("X") || cursor_.take("*"); }

  void positional() {
    if (family_.positional == 0) {
      complain(cursor_.column(), fmt::format("{} takes names, like {}:c=64,k=64,p=56,r=3 (it knows {})", family_.name,
                                             family_.name, join(parameters())));
      return;
    }
    const std::size_t start = cursor_.column();
    int count = 0;
    do {
      const std::size_t column = cursor_.column();
      const bool negative = cursor_.take("-");
      const auto digits = cursor_.digits();
      if (!digits) {
        complain(cursor_.column(), fmt::format("expected a size, found {}", cursor_.found()));
        return;
      }
      if (count < family_.positional) {
        const std::string_view name = family_.parameters[count];
        set(name, (negative ? "-" : "") + std::string(digits->text), negative ? 0 : digits->value, column);
      }
      ++count;
    } while (separator());
    if (!cursor_.at_end())
      complain(cursor_.column(), fmt::format("expected 'x' and another size, found {}", cursor_.found()));
    else if (count != family_.positional)
      complain(start, fmt::format("{} sizes, {} takes {} ({})", count, family_.name, family_.positional, shape()));
  }

  void named() {
    while (!cursor_.at_end()) {
      const std::size_t column = cursor_.column();
      const auto name = cursor_.identifier();
      if (!name || !cursor_.take("=")) {
        complain(cursor_.column(), fmt::format("expected a size like {}=64{}, found {}", family_.parameters.front(),
                                               family_.positional > 0 ? " or " + shape() : "", cursor_.found()));
        return;
      }
      const std::size_t value_column = cursor_.column();
      const std::string_view text = cursor_.value();
      TextCursor value(text);
      const auto digits = value.digits();
      const auto parameter = find_parameter(family_, *name);
      if (!parameter) {
        const std::string hint = did_you_mean(*name, parameters());
        complain(column, fmt::format("{} has no '{}'{}", family_.name, shortened(*name),
                                     hint.empty() ? ", it takes " + join(parameters()) : hint));
      } else if (arguments_.contains(*parameter)) {
        complain(column, fmt::format("a second value for {}", *parameter));
      } else {
        set(*parameter, std::string(text), digits && value.at_end() ? digits->value : 0, value_column);
      }
      while (cursor_.take(",") || cursor_.take(";")) continue;
    }
  }

  void set(std::string_view name, const std::string& text, u64 value, std::size_t column) {
    if (value < 1 || value > largest_value(name))
      complain(column,
               fmt::format("{} = {}, must be an integer from 1 to {}", name, shortened(text), largest_value(name)));
    arguments_.emplace(name, value);
  }

  const Family& family_;
  TextCursor& cursor_;
  Arguments arguments_;
  Diagnostics errors_;
};

std::size_t colon_after_name(std::string_view text) {
  TextCursor cursor(text);
  if (!cursor.identifier()) return std::string_view::npos;
  const std::size_t column = cursor.column();
  return cursor.take(":") ? column - 1 : std::string_view::npos;
}

}  // namespace

bool is_compact_text(std::string_view text) {
  return text.find('[') != std::string_view::npos || text.find("+=") != std::string_view::npos ||
         colon_after_name(text) != std::string_view::npos;
}

Result<Arguments> parse_arguments(const Family& family, std::string_view text) {
  TextCursor cursor(text);
  return ArgumentParser(family, cursor).run();
}

Result<Workload> parse_compact_text(std::string_view text, std::vector<std::string>* notes) {
  if (text.size() > kLongestText)
    return Diagnostic{shortened(text), 0, "", fmt::format("longer than {} characters", kLongestText)};
  const std::size_t colon = colon_after_name(text);
  if (colon == std::string_view::npos) return parse_einsum(text, notes);
  TextCursor cursor(text);
  const std::string name(cursor.identifier().value_or(""));
  const Family* family = find_family(lower(name));
  if (family == nullptr) {
    const std::vector<std::string> names = family_names();
    const std::string hint = did_you_mean(name, names);
    return cursor.error_at(1, fmt::format("unknown kind of workload '{}'{}", shortened(name),
                                          hint.empty() ? ", must be one of " + join(names, "or") : hint));
  }
  cursor.take(":");
  const Result<Arguments> arguments = ArgumentParser(*family, cursor).run();
  if (!arguments) return arguments.errors();
  Result<Workload> workload = build_workload(*family, *arguments);
  if (workload) return workload;
  Diagnostics errors = workload.errors();
  for (Diagnostic& error : errors) error.file = shortened(text);
  return errors;
}

}  // namespace heliolite
