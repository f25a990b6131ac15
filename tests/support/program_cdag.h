#pragma once
// The CDAG of an affine program at small parameter values, found by running it: each instance in the order of the
// schedule takes the last value written to each word it reads. And what executions of it load.
#include <algorithm>
#include <deque>
#include <limits>
#include <random>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "tests/support/affine_trace.h"

namespace heliolite::testing {

// Vertices in an order in which each comes after its operands; inputs first.
struct ProgramCdag {
  std::vector<std::vector<int>> operands;  // [vertex]; without repetitions
  int inputs = 0;

  int size() const { return static_cast<int>(operands.size()); }
};

inline ProgramCdag program_cdag(const AffineProgram& program, const ParameterValues& values) {
  const Result<ProgramTrace> run = trace(program, values);
  ProgramCdag cdag;
  if (!run) return cdag;
  constexpr int kNone = -1;
  std::vector<int> last(run->words.size(), kNone);  // the vertex whose value the word has
  std::vector<bool> written(run->words.size());
  for (const TraceStep& step : run->steps) {
    for (const u32 word : step.reads)
      if (!written[word] && last[word] == kNone) last[word] = cdag.inputs++;
    written[step.write] = true;
  }
  cdag.operands.resize(at(cdag.inputs));
  for (const TraceStep& step : run->steps) {
    std::set<int> operands;
    for (const u32 word : step.reads) operands.insert(last[word]);
    last[step.write] = cdag.size();
    cdag.operands.emplace_back(operands.begin(), operands.end());
  }
  return cdag;
}

// Loads of the vertices in that order with `capacity` words inside, values kept whose next use is nearest (Belady). The
// result of an instance may take the place of an operand.
inline u64 loads_in_order(const ProgramCdag& cdag, const std::vector<int>& order, int capacity) {
  std::vector<std::deque<int>> uses(cdag.operands.size());
  for (int step = 0; step < static_cast<int>(order.size()); ++step)
    for (const int v : cdag.operands[order[step]]) uses[v].push_back(step);
  constexpr int kNever = std::numeric_limits<int>::max();
  std::set<std::pair<int, int>> inside;  // next use, vertex
  std::vector<bool> is_inside(cdag.operands.size());
  const auto next_use = [&](int v) { return uses[v].empty() ? kNever : uses[v].front(); };
  const auto drop_farthest = [&] {
    const auto farthest = std::prev(inside.end());
    is_inside[farthest->second] = false;
    inside.erase(farthest);
  };
  u64 loads = 0;
  for (int step = 0; step < static_cast<int>(order.size()); ++step) {
    const int v = order[step];
    for (const int operand : cdag.operands[v]) {
      if (is_inside[operand]) continue;
      ++loads;
      is_inside[operand] = true;
      inside.emplace(step, operand);
    }
    // Operands of this step are the nearest uses of all, so they stay as long as anything else is there.
    while (static_cast<int>(inside.size()) > capacity) drop_farthest();
    for (const int operand : cdag.operands[v]) {
      inside.erase({step, operand});
      uses[operand].pop_front();
      if (next_use(operand) == kNever) is_inside[operand] = false;
      else inside.emplace(next_use(operand), operand);
    }
    if (next_use(v) == kNever) continue;
    is_inside[v] = true;
    inside.emplace(next_use(v), v);
    while (static_cast<int>(inside.size()) > capacity) drop_farthest();
  }
  return loads;
}

// The computed vertices in a random order that keeps operands first and goes on near what was computed last.
inline std::vector<int> local_order(const ProgramCdag& cdag, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> missing;
  std::vector<std::vector<int>> successors(cdag.operands.size());
  std::deque<int> ready;
  for (int v = 0; v < cdag.size(); ++v) {
    int computed = 0;
    for (const int operand : cdag.operands[v]) {
      successors[operand].push_back(v);
      computed += operand >= cdag.inputs ? 1 : 0;
    }
    missing.push_back(computed);
    if (v >= cdag.inputs && computed == 0) ready.push_back(v);
  }
  std::vector<int> order;
  while (!ready.empty()) {
    // Mostly what became ready last: depth first.
    const bool newest = random() % 8 != 0;
    const int v = newest ? ready.back() : ready.front();
    newest ? ready.pop_back() : ready.pop_front();
    order.push_back(v);
    for (const int next : successors[v])
      if (--missing[next] == 0) ready.push_back(next);
  }
  return order;
}

// Loads of the best of all executions without recomputation; -1 if an instance has more operands than fit. For up to
// about 14 vertices.
inline int fewest_loads(const ProgramCdag& cdag, int capacity) {
  // A state: what has been computed, and what is inside; bits of vertices.
  const u64 n = at(cdag.size());
  std::vector<u64> needs(n);
  for (std::size_t v = 0; v < n; ++v)
    for (const int operand : cdag.operands[v]) needs[v] |= u64{1} << operand;
  u64 inputs = (u64{1} << cdag.inputs) - 1, all = (u64{1} << n) - 1;
  std::unordered_map<u64, int> cost{{inputs << n, 0}};
  std::deque<std::pair<u64, int>> open{{inputs << n, 0}};
  const auto reach = [&](u64 state, int loads, bool free) {
    const auto [at, fresh] = cost.try_emplace(state, loads);
    if (!fresh && at->second <= loads) return;
    at->second = loads;
    free ? open.emplace_front(state, loads) : open.emplace_back(state, loads);
  };
  while (!open.empty()) {
    const auto [state, loads] = open.front();
    open.pop_front();
    if (cost.at(state) < loads) continue;
    const u64 done = state >> n, inside = state & all;
    if (done == all) return loads;
    const bool full = __builtin_popcountll(inside) >= capacity;
    for (std::size_t v = 0; v < n; ++v) {
      const u64 bit = u64{1} << v;
      const bool compute = (done & bit) == 0 && (inside & needs[v]) == needs[v];
      const bool load = (done & bit) != 0 && (inside & bit) == 0;
      if (!compute && !load) continue;
      const u64 next_done = compute ? done | bit : done;
      // The result may take the place of any word inside, an operand among them; or be dropped at once.
      if (compute) reach(next_done << n | inside, loads, true);
      if (!full) reach(next_done << n | inside | bit, loads + (load ? 1 : 0), compute);
      for (std::size_t w = 0; full && w < n; ++w)
        if ((inside >> w & 1) != 0)
          reach(next_done << n | (inside & ~(u64{1} << w)) | bit, loads + (load ? 1 : 0), compute);
    }
  }
  return -1;
}

}  // namespace heliolite::testing
