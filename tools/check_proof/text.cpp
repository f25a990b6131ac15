#include "check_proof/text.h"

#include <cstdio>
#include <memory>

namespace check_proof {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t end = text.find(separator);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

Lines::Lines(std::string_view text) : text_(text) {}

void Lines::next() {
  begin_ = offset_;
  ++number_;
  words_.clear();
  if (at_end()) wrong("a line expected, the file ends here");
  const std::size_t end = text_.find('\n', offset_);
  if (end == std::string_view::npos) wrong("a line that ends expected");
  words_ = split(text_.substr(offset_, end - offset_), ' ');
  offset_ = end + 1;
  for (const std::string_view w : words_)
    if (w.empty()) wrong("words with one space between them expected");
}

bool Lines::next_is(std::string_view word) const {
  const std::string_view rest = text_.substr(offset_);
  return rest.starts_with(word) && rest.size() > word.size() && (rest[word.size()] == ' ' || rest[word.size()] == '\n');
}

std::string_view Lines::word(std::size_t k) const {
  if (k >= words_.size()) wrong("more words expected");
  return words_[k];
}

u64 Lines::integer(std::string_view text) const {
  const std::optional<u64> out = read_u64(text);
  if (!out) wrong("a decimal integer below 2^64 expected, not '" + std::string(text.substr(0, 40)) + "'");
  return *out;
}

void Lines::expect(std::size_t count) const {
  if (words_.size() != count) wrong(std::to_string(count) + " words expected, not " + std::to_string(words_.size()));
}

std::string read_file(const std::string& path) {
  constexpr std::size_t kMost = std::size_t{4} << 30;
  const bool is_input = path == "-";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      is_input ? stdin : std::fopen(path.c_str(), "rb"), [](std::FILE* f) { return f == stdin ? 0 : std::fclose(f); });
  if (!file) throw Wrong{0, "cannot be opened", true};
  std::string out, block(std::size_t{1} << 20, '\0');
  for (std::size_t n = 0; (n = std::fread(block.data(), 1, block.size(), file.get())) > 0;) {
    out.append(block, 0, n);
    if (out.size() > kMost) throw Wrong{0, "larger than 4 GiB", true};
  }
  if (std::ferror(file.get()) != 0) throw Wrong{0, "cannot be read", true};
  if (out.starts_with("\x1f\x8b")) throw Wrong{0, "gzipped: unpack it by zcat, and read - instead of the file", true};
  return out;
}

}  // namespace check_proof
