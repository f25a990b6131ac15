#pragma once
// Damaged copies of a text: what an editor, a script, a bad disk or a malicious hand makes of a file. The same for
// every compiler: the generator's numbers are used without the standard library's distributions.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace heliolite {

// How long a fuzzer runs, and from which seed: the number in an environment variable, `otherwise` where it is not set.
inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::stoull(text) : otherwise;
}

class TextMutator {
 public:
  explicit TextMutator(std::uint64_t seed) : random_(seed) {}

  // Below `limit`, which must not be 0.
  std::size_t below(std::size_t limit) { return random_() % limit; }

  // One to four changes, now and then a dozen.
  std::string damaged(std::string text, std::string_view other) {
    std::size_t changes = below(8) == 0 ? 12 : 1 + below(4);
    while (changes-- > 0) change(text, other);
    return text;
  }

 private:
  static constexpr std::array<std::string_view, 44> kTokens{"0",
                                                            "-1",
                                                            "1e308",
                                                            "-1e308",
                                                            "1e-320",
                                                            "nan",
                                                            "inf",
                                                            "18446744073709551615",
                                                            "18446744073709551616",
                                                            "2147483648",
                                                            "99999999999999999999999999",
                                                            "0x10",
                                                            "1_000",
                                                            "007",
                                                            "1.5",
                                                            "~",
                                                            "null",
                                                            "true",
                                                            "[]",
                                                            "{}",
                                                            "[",
                                                            "{",
                                                            "]",
                                                            "}",
                                                            ":",
                                                            ": ",
                                                            "- ",
                                                            "&a",
                                                            "*a",
                                                            "<<: *a",
                                                            "!!int",
                                                            "!!binary",
                                                            "\t",
                                                            "\r",
                                                            "#",
                                                            "'",
                                                            "\"",
                                                            "|",
                                                            ">",
                                                            "\xff\xfe",
                                                            "\xef\xbb\xbf",
                                                            "\xc3",
                                                            "---\n",
                                                            "..."};

  void change(std::string& text, std::string_view other) {
    const std::size_t at = below(text.size() + 1);
    switch (below(12)) {
      case 0: flip(text); break;
      case 1: text.erase(at, below(2) == 0 ? 1 : below(40)); break;
      case 2: text.insert(at, std::string(text.substr(at, below(60)))); break;
      case 3: text.insert(at, kTokens[below(kTokens.size())]); break;
      case 4:
      case 5: replace_number(text); break;
      case 6: text.resize(at); break;
      case 7: lines(text, [&](std::vector<std::string>& l) { l.erase(l.begin() + pick(l)); }); break;
      case 8:
        lines(text, [&](std::vector<std::string>& l) { std::swap(l[below(l.size())], l[below(l.size())]); });
        break;
      case 9:
        lines(text, [&](std::vector<std::string>& l) { l.insert(l.begin() + pick(l), l[below(l.size())]); });
        break;
      case 10:
        lines(text, [&](std::vector<std::string>& l) { l[below(l.size())].insert(0, 1 + below(4), ' '); });
        break;
      default: splice(text, at, other); break;
    }
  }

  void flip(std::string& text) {
    if (text.empty()) return;
    char& c = text[below(text.size())];
    c = static_cast<char>(c ^ (1 << below(8)));
  }

  // Some run of digits becomes another number or word.
  void replace_number(std::string& text) {
    const std::size_t begin = text.find_first_of("0123456789", below(text.size() + 1));
    if (begin == std::string::npos) return;
    const std::size_t end = std::min(text.find_first_not_of("0123456789.", begin), text.size());
    text.replace(begin, end - begin, kTokens[below(kTokens.size())]);
  }

  void splice(std::string& text, std::size_t at, std::string_view other) {
    if (other.empty()) return;
    const std::size_t from = below(other.size());
    text.insert(at, other.substr(from, below(200)));
  }

  template <class Edit>
  void lines(std::string& text, Edit edit) {
    std::vector<std::string> all;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      all.push_back(text.substr(at, end - at));
      at = end;
    }
    if (all.empty()) return;
    edit(all);
    text.clear();
    for (const std::string& line : all) text += line;
  }
  std::ptrdiff_t pick(const std::vector<std::string>& l) { return static_cast<std::ptrdiff_t>(below(l.size())); }

  std::mt19937_64 random_;
};

}  // namespace heliolite
