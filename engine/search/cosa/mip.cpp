#include "engine/search/cosa/mip.h"

#include <fmt/format.h>
#include <algorithm>
#include <cassert>
#include <cctype>
#include <cmath>
#include <set>
#include <utility>

namespace heliolite {

double LinearForm::value_at(std::span<const double> values) const {
  double sum = constant_;
  for (const auto& [column, factor] : factor_) sum += factor * values[column];
  return sum;
}

int Mip::add_column(std::string name, double lower, double upper, bool integer) {
  columns_.push_back({std::move(name), lower, upper, integer, 0});
  return static_cast<int>(columns_.size()) - 1;
}

int Mip::add_row(std::string name, const LinearForm& form, double lower, double upper) {
  rows_.push_back({std::move(name), form.factors(), lower - form.constant(), upper - form.constant()});
  return static_cast<int>(rows_.size()) - 1;
}

void Mip::add_cost(const LinearForm& form, double factor) {
  for (const auto& [c, f] : form.factors()) column(c).cost += factor * f;
  constant_cost_ += factor * form.constant();
}

std::size_t Mip::integers() const {
  return static_cast<std::size_t>(std::ranges::count_if(columns_, [](const MipColumn& c) { return c.integer; }));
}

// A mixed-integer program as a text in LP format.

namespace {

// Names that the format knows, each once. A name does not begin with a digit, a point or what looks like an exponent.
class LpNames {
 public:
  std::string operator()(const std::string& name) {
    std::string out = name;
    for (char& c : out)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') c = '_';
    if (out.empty() || std::isalpha(static_cast<unsigned char>(out.front())) == 0 || out.front() == 'e' ||
        out.front() == 'E')
      out = "x_" + out;
    const std::string plain = out;
    for (int k = 2; !used_.insert(out).second; ++k) out = fmt::format("{}__{}", plain, k);
    return out;
  }

 private:
  std::set<std::string> used_;
};

class LpWriter {
 public:
  explicit LpWriter(const Mip& mip) : mip_(mip) {
    LpNames unique;
    for (const MipColumn& c : mip.columns()) names_.push_back(unique(c.name));
  }

  std::string write(const std::string& title) {
    out_ = fmt::format("\\ {}\nMinimize\n", title);
    std::map<int, double> costs;
    for (std::size_t k = 0; k < mip_.columns().size(); ++k)
      if (mip_.columns()[k].cost != 0) costs[static_cast<int>(k)] = mip_.columns()[k].cost;
    line("obj", costs, mip_.constant_cost() == 0 ? "" : fmt::format("{:+.15g} one_", mip_.constant_cost()));
    out_ += "Subject To\n";
    LpNames unique;
    for (const MipRow& row : mip_.rows()) write_row(row, unique);
    if (mip_.constant_cost() != 0) out_ += " one_row_: one_ = 1\n";
    bounds();
    return out_ + "End\n";
  }

 private:
  void line(const std::string& name, const std::map<int, double>& factors, const std::string& end) {
    constexpr std::size_t kWidth = 110;  // the format's limit is 255 for some readers
    std::string text = fmt::format(" {}:", name);
    for (const auto& [column, factor] : factors) {
      const std::string term = fmt::format(" {:+.15g} {}", factor, names_[column]);
      if (text.size() + term.size() > kWidth) {
        out_ += text + "\n";
        text = " ";
      }
      text += term;
    }
    if (factors.empty()) text += fmt::format(" 0 {}", names_.empty() ? "one_" : names_.front());
    out_ += text + (end.empty() ? "" : " " + end) + "\n";
  }

  void write_row(const MipRow& row, LpNames& unique) {
    if (row.lower == row.upper) return line(unique(row.name), row.factor, fmt::format("= {:.15g}", row.upper));
    if (std::isfinite(row.upper)) line(unique(row.name), row.factor, fmt::format("<= {:.15g}", row.upper));
    if (std::isfinite(row.lower)) line(unique(row.name), row.factor, fmt::format(">= {:.15g}", row.lower));
  }

  void bounds() {
    std::string limits, general, binary;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      const MipColumn& c = mip_.columns()[k];
      if (c.integer && c.lower == 0 && c.upper == 1) {
        binary += fmt::format(" {}\n", names_[k]);
        continue;
      }
      if (c.integer) general += fmt::format(" {}\n", names_[k]);
      const std::string lower = std::isfinite(c.lower) ? fmt::format("{:.15g}", c.lower) : "-inf";
      const std::string upper = std::isfinite(c.upper) ? fmt::format(" <= {:.15g}", c.upper) : "";
      limits += fmt::format(" {} <= {}{}\n", lower, names_[k], upper);
    }
    for (const auto& [title, text] : {std::pair("Bounds", &limits), {"General", &general}, {"Binary", &binary}})
      if (!text->empty()) out_ += fmt::format("{}\n{}", title, *text);
  }

  const Mip& mip_;
  std::vector<std::string> names_;  // [column]
  std::string out_;
};

}  // namespace

std::string lp_text(const Mip& mip, const std::string& title) { return LpWriter(mip).write(title); }

#ifdef HELIOLITE_WITHOUT_CBC
// What answers where CBC was not found while configuring.

bool has_mip_solver() { return false; }

MipAnswer solve(const Mip&, const MipLimits&) {
  assert(!"has_mip_solver() is to be asked first");
  return {};
}
#endif

}  // namespace heliolite
