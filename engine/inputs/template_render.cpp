#include "engine/inputs/template_render.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/shortened.h"
#include "engine/base/text.h"
#include "engine/base/text_file.h"
#include "engine/inputs/template_operations.h"

namespace heliolite {
namespace {

constexpr std::size_t kMaxOpenIfs = 32;

enum class PieceKind : u8 { Text, Expression, Statement };

struct Piece {
  PieceKind kind = PieceKind::Text;
  std::string_view text;  // without the braces
  int line = 1;           // where it begins
};

// Takes a text apart at its braces.
class TemplateScanner {
 public:
  TemplateScanner(std::string_view text, const std::string& file, Diagnostics& errors)
      : text_(text), file_(file), errors_(errors) {}

  std::vector<Piece> run() {
    while (at_ < text_.size() && errors_.empty()) {
      const std::size_t open = next_open();
      plain(open);
      if (open < text_.size()) braces(open);
    }
    return std::move(pieces_);
  }

 private:
  std::size_t next_open() const {
    for (std::size_t at = text_.find('{', at_); at != std::string_view::npos; at = text_.find('{', at + 1))
      if (at + 1 < text_.size() && std::string_view("{%#").find(text_[at + 1]) != std::string_view::npos) return at;
    return text_.size();
  }

  void plain(std::size_t end) {
    if (trim_next_) {  // "-}}" takes the blanks behind it away
      const std::size_t first = std::min(text_.find_first_not_of(" \t\r\n", at_), end);
      advance(first);
    }
    if (end > at_) pieces_.push_back({PieceKind::Text, text_.substr(at_, end - at_), line_});
    advance(end);
  }

  void braces(std::size_t open) {
    const char mark = text_[open + 1];
    const char closing[] = {mark == '{' ? '}' : mark, '}', '\0'};
    std::size_t end = close_of(open + 2, closing, mark != '#');
    if (end == std::string_view::npos) {
      errors_.push_back({file_, line_, "", fmt::format("{{{} is opened here and never closed with {}", mark, closing)});
      return;
    }
    std::string_view inside = text_.substr(open + 2, end - open - 2);
    if (inside.starts_with('-')) trim_before();
    trim_next_ = inside.ends_with('-');
    if (inside.starts_with('-') || inside.starts_with('+')) inside.remove_prefix(1);
    if (trim_next_ || inside.ends_with('+')) inside.remove_suffix(std::min<std::size_t>(1, inside.size()));
    if (mark != '#')
      pieces_.push_back({mark == '{' ? PieceKind::Expression : PieceKind::Statement, trim(inside), line_});
    advance(end + 2);
  }

  // Where `closing` stands, outside quotes if there may be any.
  std::size_t close_of(std::size_t from, std::string_view closing, bool quotes) const {
    char quote = '\0';
    for (std::size_t at = from; at + 1 < text_.size(); ++at) {
      const char c = text_[at];
      if (quotes && quote != '\0') {
        if (c == '\\') ++at;
        else if (c == quote) quote = '\0';
      } else if (quotes && (c == '\'' || c == '"')) {
        quote = c;
      } else if (text_.substr(at, 2) == closing) {
        return at;
      }
    }
    return std::string_view::npos;
  }

  void trim_before() {
    if (pieces_.empty() || pieces_.back().kind != PieceKind::Text) return;
    std::string_view& text = pieces_.back().text;
    text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  }

  void advance(std::size_t to) {
    line_ += static_cast<int>(std::ranges::count(text_.substr(at_, to - at_), '\n'));
    at_ = to;
  }

  std::string_view text_;
  const std::string& file_;
  Diagnostics& errors_;
  std::vector<Piece> pieces_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool trim_next_ = false;
};

// Carries out the pieces, one after the other.
class TemplateRun {
 public:
  TemplateRun(const std::string& file, TemplateNames names, const TemplateCall& call)
      : file_(std::make_shared<const std::string>(file)), names_(std::move(names)), call_(call) {}

  Result<RenderedText> run(const std::vector<Piece>& pieces) {
    for (const Piece& piece : pieces) {
      line_ = piece.line;
      if (piece.kind == PieceKind::Statement) statement(piece.text);
      else if (is_active() && piece.kind == PieceKind::Text) out_.append(piece.text, file_, line_, true);
      else if (is_active()) expression(piece.text);
      if (out_.text.size() > kMaxTextFileBytes)
        complain(fmt::format("the text is longer than {} MiB from here on", kMaxTextFileBytes >> 20));
      if (!errors_.empty()) return errors_;
    }
    if (!ifs_.empty()) errors_.push_back({*file_, ifs_.back().line, "", "'if' without 'endif'"});
    if (!errors_.empty()) return errors_;
    return std::move(out_);
  }

 private:
  struct OpenIf {
    bool outside = true;  // whether the place of the whole statement counts
    bool taken = false;   // whether one of its branches did
    bool active = false;
    bool last = false;  // `else` was seen
    int line = 0;
  };

  bool is_active() const { return ifs_.empty() || ifs_.back().active; }

  void complain(std::string message) { errors_.push_back({*file_, line_, "", std::move(message)}); }

  std::optional<TemplateValue> value_of(std::string_view text) {
    Result<TemplateValue> value = evaluate_template(text, names_, call_);
    if (value) return *std::move(value);
    for (const Diagnostic& error : value.errors()) {
      if (error.file.empty()) complain(fmt::format("template: {}: {}", shortened(text), error.message));
      else errors_.push_back(error);
    }
    const bool inside = !value.errors().front().file.empty();
    if (inside) complain(fmt::format("template: {}: cannot be read", shortened(text)));
    return std::nullopt;
  }

  void expression(std::string_view text) {
    const std::optional<TemplateValue> value = value_of(text);
    if (!value) return;
    if (const auto* included = std::get_if<std::shared_ptr<const RenderedText>>(&*value)) out_.append(**included);
    else out_.append(text_of(*value), file_, line_, false);
  }

  void statement(std::string_view text) {
    const std::size_t space = text.find_first_of(" \t\r\n(");
    const std::string_view word = text.substr(0, space);
    const std::string_view rest = space == std::string_view::npos ? "" : trim(text.substr(space));
    if (word == "if") open_if(rest);
    else if (word == "elif" || word == "else" || word == "endif") go_on(word, rest);
    else if (word == "set") set(rest);
    else
      complain(
          fmt::format("template statement '{}' is not understood; understood are set, if, elif, else and endif: expand "
                      "the file with its own tool first",
                      shortened(word)));
  }

  void open_if(std::string_view condition) {
    if (ifs_.size() == kMaxOpenIfs) return complain(fmt::format("more than {} 'if's in one another", kMaxOpenIfs));
    OpenIf one{.outside = is_active(), .line = line_};
    if (one.outside) {
      const auto value = value_of(condition);
      one.active = one.taken = value && is_true(*value);
    }
    ifs_.push_back(one);
  }

  void go_on(std::string_view word, std::string_view condition) {
    if (ifs_.empty() || (ifs_.back().last && word != "endif"))
      return complain(fmt::format("'{}' without an 'if'", word));
    if (word == "endif") return ifs_.pop_back();
    OpenIf& one = ifs_.back();
    one.active = one.outside && !one.taken;
    if (word == "elif" && one.active) {
      const auto value = value_of(condition);
      one.active = value && is_true(*value);
    }
    one.last = word == "else";
    one.taken = one.taken || one.active;
  }

  void set(std::string_view text) {
    if (!is_active()) return;
    const std::size_t equals = text.find('=');
    const std::string name(trim(text.substr(0, equals)));
    const bool is_word = !name.empty() && is_letter(name.front()) &&
                         std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c); });
    if (equals == std::string_view::npos || !is_word)
      return complain(fmt::format("'set {}' must be: set NAME = VALUE", shortened(text)));
    if (const auto value = value_of(trim(text.substr(equals + 1)))) names_[name] = *value;
  }

  std::shared_ptr<const std::string> file_;
  TemplateNames names_;
  const TemplateCall& call_;
  RenderedText out_;
  std::vector<OpenIf> ifs_;
  Diagnostics errors_;
  int line_ = 1;
};

}  // namespace

bool is_template(std::string_view text) {
  for (const std::string_view mark : {"{{", "{%"})
    if (text.find(mark) != std::string_view::npos) return true;
  const std::size_t remark = text.find("{#");
  return remark != std::string_view::npos && text.find("#}", remark) != std::string_view::npos;
}

Result<RenderedText> render_template(std::string_view text, const std::string& file, TemplateNames names,
                                     const TemplateCall& call) {
  Diagnostics errors;
  const std::vector<Piece> pieces = TemplateScanner(text, file, errors).run();
  if (!errors.empty()) return errors;
  return TemplateRun(file, std::move(names), call).run(pieces);
}

}  // namespace heliolite
