#include "engine/search/cosa/mip.h"

#include <algorithm>
#include <utility>

namespace heliolite {

double LinearForm::value_at(std::span<const double> values) const {
  double sum = constant_;
  for (const auto& [column, factor] : factor_) sum += factor * values[at(column)];
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

}  // namespace heliolite
