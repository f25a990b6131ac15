#pragma once
// Small random questions for proofs, as instance texts: a matrix product or a convolution on one to three levels.
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace heliolite::testing {

class ProofToys {
 public:
  explicit ProofToys(unsigned seed) : rng_(seed) {}

  // `rich`: with words of other sizes, prices of networks and points of several cycles, too.
  // `uneven`: the innermost level has a tile for each tensor.
  std::string next(bool rich, bool uneven = false) {
    dimensions_.clear(), tensors_.clear();
    std::string out = "heliolite-instance 1\nunit " + std::to_string(rich ? 1 : 0) + "\nmac " + number(0, 3) + "\n";
    if (rich && chance(30)) out += "cycles " + number(2, 5) + "\n";
    out += problem();
    const int levels = below(2) == 0 ? 2 : 1;
    for (int k = 0; k < levels; ++k)
      out += level("L" + std::to_string(k), k, rich, false) + (uneven && k == 0 ? "uneven\n" : "");
    return out + level("DRAM", levels, rich, true);
  }

  unsigned below(std::size_t n) { return static_cast<unsigned>(rng_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }

  // Drops this line of a proof, doubles it, exchanges it with another, or changes digits of it.
  void change_line(std::vector<std::string>& lines, std::size_t at) {
    switch (below(4)) {
      case 0: lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at)); break;
      case 1: lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), std::string(lines[at])); break;
      case 2: std::swap(lines[at], lines[below(lines.size())]); break;
      default:
        for (char& c : lines[at])
          if (c >= '0' && c <= '9' && chance(40)) c = static_cast<char>('0' + below(10));
    }
  }

  // Changes a byte of a proof, cuts some out or repeats some, at one of its first bytes.
  void change_bytes(std::string& text, std::size_t first) {
    const std::size_t at = below(first);
    switch (below(3)) {
      case 0: text[at] = static_cast<char>(below(256)); break;
      case 1: text.erase(at, 1 + below(30)); break;
      default: text.insert(at, text.substr(below(text.size()), below(30)));
    }
  }

 private:
  struct Dimension {
    std::string name;
    int size;
  };

  std::string number(unsigned least, unsigned most) { return std::to_string(least + below(most - least + 1)); }
  std::string pick(std::vector<std::string> of) { return of[below(of.size())]; }

  std::string problem() {
    const auto dimension = [&](const std::string& name, std::vector<int> sizes) {
      const int size = sizes[below(sizes.size())];
      dimensions_.push_back({name, size});
      return "dim " + name + " " + std::to_string(size) + "\n";
    };
    const auto tensor = [&](const std::string& name, const std::string& rest) {
      tensors_.push_back(name);
      return "tensor " + name + " " + rest + "\n";
    };
    std::string out;
    if (const unsigned kind = below(3); kind == 0) {
      out += dimension("M", {2, 3, 4}) + dimension("N", {2, 4}) + dimension("K", {2, 3, 4});
      out += tensor("A", "input M K") + tensor("B", "input K N") + tensor("Z", "output M N");
    } else if (kind == 1) {
      out += dimension("P", {2, 4, 6}) + dimension("R", {2, 3});
      const bool channels = chance(50);
      if (channels) out += dimension("C", {2});
      const std::string c = channels ? " C" : "";
      out += tensor("I", "input" + c + " " + pick({"P+R", "P+R", "2*P+R"}));
      out += tensor("W", "input" + c + " R") + tensor("O", "output P");
    } else {
      out += dimension("P", {2, 4}) + dimension("R", {2}) + dimension("K", {2, 3});
      const bool columns = chance(40);
      if (columns) out += dimension("Q", {2});
      const std::string q = columns ? " Q" : "";
      out += tensor("I", "input P+R" + q) + tensor("W", "input K R") + tensor("O", "output K P" + q);
    }
    return out;
  }

  std::string prices(bool is_top, bool rich, bool networks) {
    const unsigned least = is_top ? 5 : 1, most = is_top ? 60 : 5;
    std::string out = " read " + number(least, most) + " fill " + number(1, 6) + " update " + number(least, most);
    if (chance(30)) out += " address " + number(1, 2);
    if (rich && networks && chance(60)) out += " ingress " + number(1, 4);
    if (rich && networks && chance(50)) out += " hop " + std::to_string(2 * (1 + below(3)));
    return out;
  }

  std::string level(const std::string& name, int place, bool rich, bool is_top) {
    std::string out = "level " + name + " room " + (is_top ? "-" : pick({"3", "4", "6", "8", "12", "20"}));
    out += " block " + pick({"1", "1", "2", "3"});
    const bool sized = rich && chance(40), networks = place > 0;
    if (!sized) out += prices(is_top, rich, networks);
    if (chance(30)) out += " leak 1";
    if (chance(40)) out += " clusters " + number(1, 2);
    if (chance(50)) out += " bw-r " + number(1, 3) + "/" + number(1, 3);
    if (chance(50)) out += " bw-w 1/" + number(1, 2);
    if (chance(20)) out += " bw-s " + number(1, 2) + "/1";
    out += "\n";
    if (sized)
      for (const std::string& t : tensors_)
        out += "value " + t + " parts " + number(1, 3) + prices(is_top, rich, networks) + "\n";
    return out + choices(is_top) + loops("loops", is_top ? 0 : 20) + fanout(is_top);
  }

  std::string choices(bool is_top) {
    std::string keep, open;
    for (const std::string& t : tensors_) {
      if (is_top || chance(60)) keep += " " + t;
      else if (chance(60)) open += " " + t;
    }
    return "keep" + (keep.empty() ? " -" : keep) + "\n" + (open.empty() ? "" : "open" + open + "\n");
  }
  std::string loops(const std::string& key, unsigned percent_without) {
    const bool some = chance(percent_without);
    std::string out, order;
    for (const Dimension& d : dimensions_)
      if (!some || chance(70)) out += " " + d.name + ":1-" + std::to_string(d.size);
    if (out.empty()) return "";
    out = key + out + "\n";
    if (key != "loops" || !chance(15)) return out;
    return out + "order " + dimensions_[below(dimensions_.size())].name + "\n";
  }
  std::string fanout(bool is_top) {
    if (!chance(is_top ? 30 : 50)) return "";
    const auto axis = [&](const std::string& key) {
      std::string out;
      for (const Dimension& d : dimensions_)
        if (chance(80)) out += " " + d.name;
      return out.empty() ? "" : key + out + "\n";
    };
    std::string out = "fanout " + number(2, 4) + " " + number(1, 2) + (chance(20) ? " one" : "") + "\n";
    out += axis("x");
    out += axis("y");
    return out + loops("unroll", 0);
  }

  std::mt19937 rng_;
  std::vector<Dimension> dimensions_;
  std::vector<std::string> tensors_;
};

}  // namespace heliolite::testing
