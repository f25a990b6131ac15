// The order of each level's temporal loops as columns, and how often it makes a tensor move (docs/cost_model.md, the
// closed form): the loops from the innermost that moves the tensor outwards. Loops that move it are counted by their
// factors; what the orders decide is which of the others are.
#include "engine/search/cosa/energy_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {

LoopOrders::LoopOrders(const Mapspace& space, const FactorColumns& factors, Mip& mip)
    : space_(space), factors_(factors), mip_(mip) {
  levels_.emplace_back();
  for (int i = 1; i < space.level_count(); ++i) levels_.push_back(add_level(i));
}

LoopOrders::Level LoopOrders::add_level(int i) {
  Level out;
  out.loops = factors_.loops(i);
  const std::size_t count = out.loops.size(), ordered = factors_.ordered_loops(i);
  out.inside.assign(count, std::vector<LinearForm>(count));
  for (std::size_t a = 0; a < count; ++a) {
    const std::string loop = fmt::format("{}_{}", space_.level_names[i], space_.dimension_names[out.loops[a]]);
    out.active.push_back(mip_.add_binary("active_" + loop));
    mip_.add_at_most("active_" + loop,
                     factors_.temporal(i, out.loops[a]).add(out.active[a], -factors_.log2_size(out.loops[a])), 0);
    for (std::size_t b = a + 1; b < count; ++b) {
      if (a < ordered) {
        out.inside[a][b] = LinearForm(1);
        continue;
      }
      const int column = mip_.add_binary(fmt::format("inside_{}_{}", loop, space_.dimension_names[out.loops[b]]));
      out.inside[a][b] = LinearForm().add(column, 1);
      out.inside[b][a] = LinearForm(1).add(column, -1);
    }
  }
  add_transitivity(i, out);
  return out;
}

// a inside b and b inside c: a inside c.
void LoopOrders::add_transitivity(int i, const Level& level) {
  const std::size_t count = level.loops.size();
  for (std::size_t a = factors_.ordered_loops(i); a < count; ++a)
    for (std::size_t b = a + 1; b < count; ++b)
      for (std::size_t c = b + 1; c < count; ++c) {
        const LinearForm cycle = LinearForm(level.inside[a][b]).add(level.inside[b][c]).add(level.inside[c][a]);
        mip_.add_row(fmt::format("order_{}_{}_{}_{}", space_.level_names[i], a, b, c), cycle, 1, 2);
      }
}

// A column from 0 to 1 that is at least each form.
int LoopOrders::at_least_all(const std::string& name, const std::vector<LinearForm>& forms) {
  const int column = mip_.add_column(name, 0, 1, false);
  for (std::size_t k = 0; k < forms.size(); ++k)
    mip_.add_at_least(fmt::format("{}_{}", name, k), LinearForm().add(column, 1).add(forms[k], -1), 0);
  return column;
}

LinearForm LoopOrders::repeats(int i, DimensionMask moves, const std::string& name) {
  LinearForm out;
  std::vector<LinearForm> moved;  // each is 1 where a loop further inside moves the tensor
  for (int j = i + 1; j < space_.level_count(); ++j) {
    const Level& level = levels_[j];
    std::vector<LinearForm> active;
    for (std::size_t k = 0; k < level.loops.size(); ++k)
      if (contains(moves, level.loops[k])) active.push_back(LinearForm().add(level.active[k], 1));
    for (std::size_t k = 0; k < level.loops.size(); ++k) {
      const u8 d = level.loops[k];
      if (contains(moves, d)) continue;
      std::vector<LinearForm> reasons = moved;
      for (std::size_t r = 0; r < level.loops.size(); ++r)
        if (contains(moves, level.loops[r]))
          reasons.push_back(LinearForm(-1).add(level.active[r], 1).add(level.inside[r][k]));
      if (reasons.empty()) continue;
      const std::string where =
          fmt::format("{}_{}_{}_{}", name, space_.level_names[i], space_.level_names[j], space_.dimension_names[d]);
      const int repeated = at_least_all("repeated_" + where, reasons);
      const int again = mip_.add_column("again_" + where, 0, kUnlimited, false);
      const double most = factors_.log2_size(d);
      mip_.add_at_least("again_" + where,
                        LinearForm().add(again, 1).add(factors_.temporal(j, d), -1).add(repeated, -most), -most);
      out.add(again, 1);
    }
    if (active.empty()) continue;
    active.insert(active.end(), moved.begin(), moved.end());
    const std::string where = fmt::format("moved_{}_{}_{}", name, space_.level_names[i], space_.level_names[j]);
    moved = {LinearForm().add(at_least_all(where, active), 1)};
  }
  return out;
}

// A loop stands outside all that are inside it.
std::vector<u8> LoopOrders::order(int i, std::span<const double> values) const {
  if (i == 0) return factors_.loops(0);
  const Level& level = levels_[i];
  std::vector<std::pair<int, u8>> loops;
  for (std::size_t b = 0; b < level.loops.size(); ++b) {
    int inner = 0;
    for (std::size_t a = 0; a < level.loops.size(); ++a) inner += level.inside[a][b].value_at(values) > 0.5 ? 1 : 0;
    loops.emplace_back(inner, level.loops[b]);
  }
  std::ranges::stable_sort(loops, {}, &std::pair<int, u8>::first);
  std::vector<u8> out;
  for (const auto& [inner, d] : loops) out.push_back(d);
  return out;
}

}  // namespace heliolite
