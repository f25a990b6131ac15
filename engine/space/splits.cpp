#include "engine/space/splits.h"

#include "engine/base/integers.h"

namespace heliolite {
namespace {

// ceil(n / k) for all k, ascending: rounding up twice is rounding up once.
std::vector<u32> rounded_quotients(u32 n) {
  std::vector<u32> out{1};
  for (u32 value = 1; value < n;) {
    const u32 k = (n - 1) / value;  // the largest k whose quotient is above `value`
    value = (n - 1) / k + 1;
    out.push_back(value);
  }
  return out;
}

}  // namespace

Splits::Splits(const Mapspace& space, bool imperfect) : space_(space), imperfect_(imperfect) {
  for (int d = 0; d < space.dimension_count; ++d) {
    const auto size = static_cast<u32>(space.size[d]);
    OfDimension& mine = dimension_.emplace_back();
    mine.table = DivisorTable(size);
    if (imperfect) {
      mine.lefts = rounded_quotients(size);
    } else {
      mine.lefts.assign(mine.table.all().begin(), mine.table.all().end());
    }
    count(d);
  }
}

void Splits::count(int d) {
  OfDimension& mine = dimension_[d];
  mine.ways.assign(at(place_count()), std::vector<u128>(mine.lefts.size(), 0));
  for (int p = place_count(); p-- > 0;)
    for (std::size_t k = 0; k < mine.lefts.size(); ++k)
      for_each_choice(d, p, mine.lefts[k], [&](const FactorRun& run) {
        mine.ways[p][k] += ways(d, p + 1, run.left) * (run.last - run.first + 1);
        return true;
      });
}

}  // namespace heliolite
