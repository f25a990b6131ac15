#include "engine/formats/timeloop/loops.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/formats/timeloop/mapping.h"
#include "engine/model/keep.h"

namespace heliolite {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Reads the factors of one string.
class FactorScanner {
 public:
  FactorScanner(const YamlNode& node, Diagnostics& errors) : node_(node), text_(node.text()), errors_(errors) {}

  void run(std::vector<FactorWord>& out) {
    // Timeloop's own output puts remarks behind a '#'.
    text_ = text_.substr(0, text_.find('#'));
    for (;;) {
      while (at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == ',')) ++at_;
      if (at_ >= text_.size()) return;
      const std::optional<FactorWord> word = factor();
      if (!word) return;
      out.push_back(*word);
    }
  }

 private:
  std::optional<FactorWord> fail(std::size_t first, std::string_view why) {
    std::size_t end = first;
    while (end < text_.size() && !is_space(text_[end]) && end - first < 40) ++end;
    errors_.push_back(node_.error(
        fmt::format("'{}' {}; a factor is written K=4, K<=4, K>=4 or K4", text_.substr(first, end - first), why)));
    return std::nullopt;
  }

  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  // An integer from 0 to 2^31 - 1.
  std::optional<u64> integer() {
    if (at_ >= text_.size() || !is_digit(text_[at_])) return std::nullopt;
    u64 value = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_)
      value = std::min(value * 10 + static_cast<u64>(text_[at_] - '0'), kMaxDimensionSize + 1);
    if (value > kMaxDimensionSize) return std::nullopt;
    return value;
  }

  std::optional<FactorWord> factor() {
    const std::size_t first = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    FactorWord word;
    word.place = node_;
    word.dimension = std::string(text_.substr(first, at_ - first));
    if (word.dimension.empty() || !is_letter(word.dimension[0])) return fail(first, "is not a factor");
    const std::size_t name_end = at_;
    skip_spaces();
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("<=")) word.relation = Relation::AtMost;
    if (rest.starts_with(">=")) word.relation = Relation::AtLeast;
    if (word.relation != Relation::Equal) at_ += 2;
    else if (rest.starts_with("=")) at_ += rest.starts_with("==") ? 2 : 1;
    else if (!split_name(word, name_end)) return fail(first, "has no value");
    skip_spaces();
    const std::optional<u64> value = integer();
    if (!value) return fail(first, fmt::format("has no value, an integer from 0 to {}", kMaxDimensionSize));
    word.value = *value;
    if (word.value == 0 && word.relation != Relation::Equal) return fail(first, "must be at least 1");
    if (at_ + 1 < text_.size() && text_[at_] == ',' && is_digit(text_[at_ + 1])) {
      ++at_;
      word.residual = integer();
      if (!word.residual) return fail(first, fmt::format("has a residual beyond {}", kMaxDimensionSize));
    }
    if (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != ',') return fail(first, "is not a factor");
    return word;
  }

  // "K16" is K = 16: the name ends where the last digits begin.
  bool split_name(FactorWord& word, std::size_t name_end) {
    const std::size_t digits = word.dimension.find_last_not_of("0123456789") + 1;
    if (digits == word.dimension.size()) return at_ > name_end && at_ < text_.size() && is_digit(text_[at_]);  // "K 16"
    at_ = name_end - (word.dimension.size() - digits);
    word.dimension.resize(digits);
    return true;
  }

  const YamlNode& node_;
  std::string_view text_;
  Diagnostics& errors_;
  std::size_t at_ = 0;
};

std::vector<std::string> words_of(std::string_view text, std::string_view separators) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (const std::string_view word = trim(text.substr(at, end - at)); !word.empty()) words.emplace_back(word);
    at = end + 1;
  }
  return words;
}

// The strings of a list of scalars, or of one scalar as `split` takes it apart.
template <class Split>
std::vector<std::string> strings(const YamlNode& node, std::string_view what, Split split, Diagnostics& errors) {
  std::vector<std::string> words;
  if (node.is_null()) return words;
  if (node.is_scalar()) return split(node.text());
  if (!node.is_sequence()) {
    errors.push_back(node.error(fmt::format("must be a list of {} names", what)));
    return words;
  }
  for (std::size_t i = 0; i < node.size(); ++i) {
    const YamlNode element = node.at(i);
    if (element.is_scalar() && !element.text().empty()) words.push_back(element.text());
    else errors.push_back(element.error(fmt::format("must be the name of a {}", what)));
  }
  return words;
}

void refuse_twice(const std::vector<std::string>& words, const YamlNode& node, std::string_view what,
                  Diagnostics& errors) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (std::find(words.begin(), words.begin() + i, words[i]) != words.begin() + i)
      errors.push_back(node.error(fmt::format("{} '{}' is named twice", what, words[i])));
}

}  // namespace

std::vector<FactorWord> read_factors(const YamlNode& node, Diagnostics& errors) {
  std::vector<FactorWord> words;
  if (node.is_scalar()) {
    FactorScanner(node, errors).run(words);
  } else if (node.is_sequence()) {
    for (std::size_t i = 0; i < node.size(); ++i) {
      const YamlNode element = node.at(i);
      if (element.is_scalar()) FactorScanner(element, errors).run(words);
      else errors.push_back(element.error("must be a factor such as K=4"));
    }
  } else if (!node.is_null()) {
    errors.push_back(node.error("must be a list of factors such as [K=4, C<=2]"));
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      if (words[i].dimension == words[j].dimension && words[i].relation == words[j].relation)
        errors.push_back(words[i].place.error(fmt::format("{} has two factors", words[i].dimension)));
  }
  return words;
}

std::vector<std::string> read_permutation(const YamlNode& node, std::span<const std::string> known,
                                          Diagnostics& errors) {
  const auto split = [&](std::string_view text) {
    if (text.find(',') != std::string_view::npos) return words_of(text, ",");
    std::vector<std::string> words = words_of(text, " \t\r\n");
    const auto is_known = [&](const std::string& word) { return std::ranges::find(known, word) != known.end(); };
    if (!words.empty() && std::ranges::all_of(words, is_known)) return words;
    words.clear();
    for (const char c : text)
      if (!is_space(c)) words.emplace_back(1, c);
    return words;
  };
  const std::vector<std::string> words = strings(node, "dimension", split, errors);
  refuse_twice(words, node, "dimension", errors);
  return words;
}

std::vector<std::string> read_tensors(const YamlNode& node, Diagnostics& errors) {
  const auto split = [](std::string_view text) { return words_of(text, " ,\t\r\n"); };
  std::vector<std::string> words = strings(node, "tensor", split, errors);
  refuse_twice(words, node, "tensor", errors);
  for (std::string& word : words)
    if (word == "*") word = "all";
  return words;
}

const std::string_view kTimeloopNoPeers = "no_link_transfer";

const std::string_view kTimeloopHasPeers =
    "link_transfers = off: Timeloop counts them, unless TIMELOOP_DISABLE_LINK_TRANSFERS=1 is set";

void add_timeloop_no_peers(const YamlNode& list, std::vector<std::string>& tensors, Diagnostics& errors) {
  for (const std::string& name : read_tensors(list, errors))
    if (std::ranges::find(tensors, name) == tensors.end()) tensors.push_back(name);
}

std::string timeloop_no_peers_text(const std::vector<std::string>& tensors) {
  return fmt::format("{}: [{}]", kTimeloopNoPeers, fmt::join(mapped(tensors, yaml_scalar), ", "));
}

// Timeloop lets all tensors take them at every fan-out, so all that do not are named.
Mapping peers_said(const Mapping& mapping, const Workload& workload, const Architecture& architecture) {
  Mapping said = mapping;
  const auto all = static_cast<TensorMask>((1u << workload.tensors.size()) - 1);
  for (std::size_t i = 0; i < architecture.levels.size(); ++i) {
    const StorageLevel& level = architecture.levels[i];
    const KeepRule excluded{level.constraints.spatial.no_peers, {}};
    TensorMask& no_peers = said.no_peers[i];
    for (std::size_t v = 0; v < workload.tensors.size(); ++v)
      if (keep_choice(excluded, workload, static_cast<int>(v)) == KeepChoice::Keep)
        no_peers = static_cast<TensorMask>(no_peers | 1u << v);
    if (!architecture.peer_channel) no_peers = all;
    if (level.fanout_x * level.fanout_y == 1) no_peers = 0;
  }
  return said;
}

}  // namespace heliolite
