#include "engine/inputs/template_render.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/file_bytes.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

constexpr std::size_t kMaxOpenIfs = 32;
constexpr std::size_t kMaxNestedLoops = 8;
constexpr int kMaxSteps = 200'000;  // pieces of one text and rounds of its loops
constexpr std::size_t kMaxCopiedBytes = std::size_t{1} << 30;
constexpr std::size_t kMaxTemplateLines = 2'000'000;  // each remembers where it is from

// Carries out the pieces, one after the other.
class TemplateRun {
 public:
  TemplateRun(const std::string& file, TemplateNames names, const TemplateCall& call, const TemplateInclude& include)
      : file_(std::make_shared<const std::string>(file)), names_(std::move(names)), call_(call), include_(include) {
    for (const auto& [name, value] : names_) names_bytes_ += text_bytes(value);
  }

  Result<RenderedText> run(const std::vector<TemplatePiece>& pieces) {
    carry_out(pieces);
    if (!errors_.empty()) return errors_;
    return std::move(out_);
  }

 private:
  using Pieces = std::span<const TemplatePiece>;

  // Pieces in which every 'if' that is opened is closed.
  void carry_out(Pieces pieces) {
    const std::size_t outer_ifs = std::exchange(first_if_, ifs_.size());
    for (std::size_t i = 0; i < pieces.size() && errors_.empty(); ++i) {
      const TemplatePiece& piece = pieces[i];
      line_ = piece.line;
      if (piece.kind == TemplatePieceKind::Statement && word_of(piece.text) == "for") i = loop(pieces, i);
      else if (piece.kind == TemplatePieceKind::Statement) statement(piece.text);
      else if (is_active() && piece.kind == TemplatePieceKind::Text) out_.append(piece.text, file_, line_, true);
      else if (is_active()) expression(piece.text);
      if (out_.text.size() > kMaxTextFileBytes)
        complain(fmt::format("the text is longer than {} MiB from here on", kMaxTextFileBytes >> 20));
      if (out_.lines.size() > kMaxTemplateLines)
        complain(fmt::format("the text has more than {} lines from here on", kMaxTemplateLines));
      if (++steps_ > kMaxSteps) complain(fmt::format("more than {} steps", kMaxSteps));
    }
    if (ifs_.size() > first_if_ && errors_.empty())
      errors_.push_back({*file_, ifs_.back().line, "", "'if' without 'endif'"});
    first_if_ = outer_ifs;
  }

  static std::string_view word_of(std::string_view statement) {
    return statement.substr(0, statement.find_first_of(" \t\r\n("));
  }

  // Carries out the loop that begins at `first`; the place of its 'endfor'.
  std::size_t loop(Pieces pieces, std::size_t first) {
    std::size_t depth = 0, otherwise = 0, last = first;
    std::size_t ifs = 0;  // open inside this loop, outside inner ones
    for (; last < pieces.size(); ++last) {
      if (pieces[last].kind != TemplatePieceKind::Statement) continue;
      const std::string_view word = word_of(pieces[last].text);
      if (word == "for") ++depth;
      if (word == "endfor" && --depth == 0) break;
      if (depth == 1 && word == "if") ++ifs;
      if (depth == 1 && word == "endif" && ifs > 0) --ifs;
      if (depth == 1 && word == "else" && ifs == 0) otherwise = last;
    }
    if (last == pieces.size()) {
      complain("'for' without 'endfor'");
      return last;
    }
    const std::size_t end = otherwise == 0 ? last : otherwise;
    if (is_active())
      repeat(pieces[first].text, pieces.subspan(first + 1, end - first - 1),
             otherwise == 0 ? Pieces{} : pieces.subspan(otherwise + 1, last - otherwise - 1));
    return last;
  }

  // "for NAME[, NAME] in LIST": names that the loop sets are its own.
  void repeat(std::string_view statement, Pieces body, Pieces otherwise) {
    const std::string_view rest = trim(statement.substr(word_of(statement).size()));
    const std::size_t in = rest.find(" in ");
    const std::vector<std::string> targets = split(rest.substr(0, std::min(in, rest.size())), ',');
    if (in == std::string_view::npos || targets.empty() || !std::ranges::all_of(targets, is_name))
      return complain(fmt::format("'{}' must be: for NAME in LIST", shortened(statement)));
    const std::optional<TemplateValue> value = value_of(trim(rest.substr(in + 4)));
    if (!value) return;
    const TemplateList* list = template_list(*value);
    if (list == nullptr) return complain(fmt::format("'{}' needs a list behind 'in'", shortened(statement)));
    if (list->items.empty()) return carry_out(otherwise);
    if (++loops_ > kMaxNestedLoops) complain(fmt::format("more than {} loops in one another", kMaxNestedLoops));
    const TemplateNames outer = names_;
    const std::size_t outer_bytes = names_bytes_;
    const auto size = static_cast<i64>(list->items.size());
    for (i64 i = 0; i < size && errors_.empty(); ++i) {
      copied_bytes_ += names_bytes_;
      if (++steps_ > kMaxSteps || copied_bytes_ > kMaxCopiedBytes)
        return complain(fmt::format("more than {} steps, or fewer with long texts in names", kMaxSteps));
      names_ = outer;
      names_bytes_ = outer_bytes;
      names_["loop.index"] = i + 1;
      names_["loop.index0"] = i;
      names_["loop.first"] = i == 0;
      names_["loop.last"] = i + 1 == size;
      names_["loop.length"] = size;
      if (bind(targets, list->items[i])) carry_out(body);
    }
    --loops_;
    names_ = outer;
    names_bytes_ = outer_bytes;
  }

  // One name for an item, or a name for each part of it.
  bool bind(const std::vector<std::string>& targets, const TemplateValue& item) {
    if (targets.size() == 1) return names_[targets.front()] = item, true;
    const TemplateList* parts = template_list(item);
    if (parts == nullptr || parts->items.size() != targets.size()) {
      complain(fmt::format("{} names for {}", targets.size(), shortened(text_of(item))));
      return false;
    }
    for (std::size_t k = 0; k < targets.size(); ++k) names_[targets[k]] = parts->items[k];
    return true;
  }

  static bool is_name(const std::string& name) {
    return !name.empty() && is_letter(name.front()) &&
           std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c); });
  }

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
    const std::string_view word = word_of(text);
    const std::string_view rest = trim(text.substr(word.size()));
    if (word == "if") open_if(rest);
    else if (word == "elif" || word == "else" || word == "endif") take_branch(word, rest);
    else if (word == "set") set(rest);
    else if (word == "include") include(rest);
    else if (word == "assert") check(rest);
    else if (word == "endfor") complain("'endfor' without a 'for'");
    else
      complain(
          fmt::format("template statement '{}' is not understood; understood are set, if, elif, else, endif, for, "
                      "endfor, include, assert and raw: expand the file with its own tool first",
                      shortened(word)));
  }

  // "include FILE [ignore missing] [with context]": a file that is missing is what the host says cannot be found.
  void include(std::string_view text) {
    if (!is_active()) return;
    const auto drop = [&](std::string_view ending) {
      const bool has = text.ends_with(ending);
      if (has) text = trim(text.substr(0, text.size() - ending.size()));
      return has;
    };
    const bool alone = drop("without context");
    drop("with context");
    const bool may_miss = drop("ignore missing");
    const std::optional<TemplateValue> value = value_of(text);
    if (!value) return;
    std::vector<std::string> files;
    if (const TemplateList* list = template_list(*value))
      for (const TemplateValue& file : list->items) files.push_back(text_of(file));
    else files.push_back(text_of(*value));
    Diagnostics why;
    for (const std::string& file : files) {
      const Result<RenderedText> included = include_ ? include_(file, alone ? TemplateNames{} : names_)
                                                     : Diagnostic{"", 0, "", "there are no files to include here"};
      if (included) return out_.append(*included);
      why = included.errors();
      if (!why.front().file.empty()) break;  // it is there, and has mistakes
    }
    if (may_miss && (why.empty() || why.front().file.empty())) return;
    for (const Diagnostic& error : why) {
      if (error.file.empty()) complain(fmt::format("include {}: {}", shortened(text), error.message));
      else errors_.push_back(error);
    }
    if (!why.empty() && !why.front().file.empty()) complain(fmt::format("include {}: cannot be read", shortened(text)));
  }

  // "assert CONDITION, MESSAGE".
  void check(std::string_view text) {
    if (!is_active()) return;
    const std::optional<TemplateValue> value = value_of(fmt::format("({},)", text));
    const TemplateList* parts = value ? template_list(*value) : nullptr;
    if (!value) return;
    if (parts == nullptr || parts->items.empty() || parts->items.size() > 2)
      return complain(fmt::format("'assert {}' must be: assert CONDITION, MESSAGE", shortened(text)));
    if (is_true(parts->items[0])) return;
    const std::string why = parts->items.size() == 2 ? text_of(parts->items[1]) : std::string(text);
    complain(fmt::format("the file's own check fails: {}", shortened(why)));
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

  void take_branch(std::string_view word, std::string_view condition) {
    if (ifs_.size() <= first_if_ || (ifs_.back().last && word != "endif"))
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
    if (equals == std::string_view::npos || !is_name(name))
      return complain(fmt::format("'set {}' must be: set NAME = VALUE", shortened(text)));
    if (const auto value = value_of(trim(text.substr(equals + 1)))) keep(name, *value);
  }

  void keep(const std::string& name, const TemplateValue& value) {
    TemplateValue& kept = names_[name];
    names_bytes_ += text_bytes(value);
    names_bytes_ -= std::min(names_bytes_, text_bytes(kept));
    if (names_bytes_ > kMaxTemplateNames)
      return complain(fmt::format("the texts of all names are longer than {} MiB together", kMaxTemplateNames >> 20));
    kept = value;
  }

  static std::size_t text_bytes(const TemplateValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    const auto* included = std::get_if<std::shared_ptr<const RenderedText>>(&value);
    const TemplateList* list = template_list(value);
    return text != nullptr       ? text->size()
           : included != nullptr ? (*included)->text.size()
           : list != nullptr     ? list->bytes
                                 : 0;
  }

  std::shared_ptr<const std::string> file_;
  TemplateNames names_;
  std::size_t names_bytes_ = 0;   // bytes of the texts that statements set
  std::size_t copied_bytes_ = 0;  // bytes of the texts that rounds of loops began with
  const TemplateCall& call_;
  const TemplateInclude& include_;
  RenderedText out_;
  std::vector<OpenIf> ifs_;
  std::size_t first_if_ = 0;  // the first `if` in the loop that is carried out
  std::size_t loops_ = 0;     // in one another
  int steps_ = 0;
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
                                     const TemplateCall& call, const TemplateInclude& include) {
  const Result<std::vector<TemplatePiece>> pieces = template_pieces(text, file);
  if (!pieces) return pieces.errors();
  return TemplateRun(file, std::move(names), call, include).run(*pieces);
}

}  // namespace heliolite
