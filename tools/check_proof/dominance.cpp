#include "check_proof/dominance.h"

#include <algorithm>

namespace check_proof {
namespace {

// What is in place, in one iteration, at ends that are inside, [tensor][place], and at the server to come, [tensor].
struct InPlace {
  std::array<std::array<u128, 3 * kLevels>, kTensors> fills{};
  std::array<std::array<u128, kLevels>, kTensors> serves{};
  std::array<u128, kTensors> to_come{};

  void add(const State& s, const Flow& f) {
    fills[f.tensor][f.place] += static_cast<u128>(f.words) * f.fills;
    const u128 served = static_cast<u128>(f.words) * f.serves;
    if (f.server > s.level) to_come[f.tensor] += served;
    else if (f.server >= 0) serves[f.tensor][f.server] += served;
  }
};

// Flows that slide are alike or they are not compared.
bool same_flows(const State& a, const State& b, int v) {
  std::vector<Flow> x, y;
  const auto of_tensor = [&](const Flow& f) { return f.tensor == v; };
  std::ranges::copy_if(a.flows, std::back_inserter(x), of_tensor);
  std::ranges::copy_if(b.flows, std::back_inserter(y), of_tensor);
  return std::ranges::is_permutation(x, y);
}

// What rounding up to blocks can add at most, all levels and instances together.
i128 most_rounding(const Machine& m) {
  i128 out = 0;
  for (int i = 0; i < m.levels(); ++i) {
    const Level& l = m.level(i);
    u64 dearest = 0;
    for (const Prices& p : l.of) dearest = std::max({dearest, p.read, p.fill, p.update});
    const i128 rounded = static_cast<i128>(m.instance().scale / l.block) * (l.block - 1);  // of an access
    out += static_cast<i128>(3) * dearest * m.tensors() * l.instances * rounded;
  }
  return out;
}

// Compares by prices: of energy at levels whose clusters all work apart, of energy at one level, or of a rate.
class Comparison {
 public:
  Comparison(const Machine& m, const State& a, const State& b) : m_(m), a_(a), b_(b) {
    Mask in_a = 0, in_b = 0, alike = 0;
    for (const Flow& f : a.flows) in_a |= bit(f.tensor);
    for (const Flow& f : b.flows) in_b |= bit(f.tensor);
    for (int v = 0; v < m.tensors(); ++v) {
      if (!contains(in_a & in_b, v) || m.tensor(v).sliding == 0) continue;
      comparable_ &= same_flows(a, b, v);
      alike |= bit(v);
    }
    are_equal_ = (in_b & ~in_a) == 0;
    const Steps steps(m);
    for (const Flow& f : a.flows) {
      if (!contains(in_b, f.tensor)) {  // moved by the next loop
        comparable_ &= !f.is_moving();
        steps.close(a_, f, a.rest, a.level);
      } else if (!contains(alike, f.tensor)) {
        x_.add(a, f);
      }
    }
    for (const Flow& f : b.flows)
      if (contains(in_a & ~alike, f.tensor)) y_.add(b, f);
  }

  bool is_comparable() const { return comparable_; }
  // No word differs, so no rounding to blocks does.
  bool are_equal() const {
    return are_equal_ && a_.count == b_.count && a_.pending == b_.pending && a_.network == b_.network &&
           x_.fills == y_.fills && x_.serves == y_.serves && x_.to_come == y_.to_come;
  }

  // `network`: 1 where energy of networks counts; `slack`: by how much the counted words must cost less at least.
  template <class Price>
  bool is_nowhere_more(Price&& price, i128 network, i128 slack) const {
    i128 x = network * a_.network + slack, y = network * b_.network;
    for (int i = 0; i < m_.levels(); ++i)
      for (int v = 0; v < m_.tensors(); ++v) {
        const Count& p = a_.count[i][v];
        const Count& q = b_.count[i][v];
        if (p == q) continue;
        const WordPrice cost = price(i, v);
        x += cost.access * p.accesses + cost.fill * p.fills;
        y += cost.access * q.accesses + cost.fill * q.fills;
      }
    if (x > y) return false;
    const Servers& servers = m_.sets(b_.level + 1)[b_.set];
    for (int v = 0; v < m_.tensors(); ++v) {
      const bool matters = price(servers[v], v).access != 0 || pays_on_the_way(servers[v], v);
      if (matters && (a_.pending[v] > b_.pending[v] || x_.to_come[v] > y_.to_come[v])) return false;
      if (in_place(x_, v, price) > in_place(y_, v, price)) return false;
    }
    return true;
  }

 private:
  bool pays_on_the_way(int server, int v) const {
    for (int i = b_.level + 1; i <= server; ++i)
      if (m_.full_price(m_.levels() + i, v).fill != 0) return true;
    return false;
  }
  template <class Price>
  i128 in_place(const InPlace& words, int v, Price&& price) const {
    i128 out = 0;
    for (std::size_t place = 0; place < m_.places(); ++place)
      if (words.fills[v][place] != 0)
        out += price(static_cast<int>(place), v).fill * static_cast<i128>(words.fills[v][place]);
    for (int i = 0; i < m_.levels(); ++i)
      if (const u128 served = words.serves[v][i]; served != 0) out += price(i, v).access * static_cast<i128>(served);
    return out;
  }

  const Machine& m_;
  State a_;  // with all moved that waits in it alone
  const State& b_;
  InPlace x_, y_;
  bool comparable_ = true, are_equal_ = true;
};

// Energy that is counted, each access apart.
i128 counted(const Machine& m, const State& s) {
  i128 out = s.network;
  for (int i = 0; i < m.levels(); ++i)
    for (int v = 0; v < m.tensors(); ++v) {
      const WordPrice& p = m.full_price(i, v);
      if (!contains(m.shared(), i)) out += p.access * s.count[i][v].accesses + p.fill * s.count[i][v].fills;
    }
  return out;
}

}  // namespace

bool stands_for(const Machine& m, const State& a, const State& b) {
  if (a.at != b.at || a.set != b.set || a.units < b.units) return false;
  if (a.instances != b.instances) return false;
  for (int j = 0; j <= a.level; ++j)
    if (a.summed[j] < b.summed[j]) return false;
  if (counted(m, a) > counted(m, b)) return false;  // what else is compared only adds to that of a
  const Comparison c(m, a, b);
  if (!c.is_comparable()) return false;
  if (c.are_equal()) return true;
  const i128 slack = most_rounding(m);
  const auto energy = [&](int place, int v) {
    return place < m.levels() && contains(m.shared(), place) ? WordPrice{} : m.full_price(place, v);
  };
  if (!c.is_nowhere_more(energy, 1, slack)) return false;
  for (int j = 0; j < m.levels(); ++j) {
    if (!contains(m.shared(), j)) continue;
    const auto of_level = [&](int place, int v) { return place == j ? m.full_price(place, v) : WordPrice{}; };
    if (!c.is_nowhere_more(of_level, 0, slack)) return false;
  }
  for (std::size_t k = 1; k < m.channels().size(); ++k)
    if (!c.is_nowhere_more([&](int place, int v) { return m.price(k, place, v); }, 0, 0)) return false;
  return true;
}

}  // namespace check_proof
