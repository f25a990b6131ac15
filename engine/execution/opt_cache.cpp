#include "engine/execution/opt_cache.h"

#include <algorithm>
#include <queue>

namespace heliolite {
namespace {

constexpr u32 kNever = ~u32{0};

// [entry of the trace]: the next entry with the same line.
std::vector<u32> next_uses(const TouchTrace& trace, u64 lines) {
  std::vector<u32> last(lines, kNever), next(trace.line.size());
  for (std::size_t i = trace.line.size(); i-- > 0;) {
    next[i] = last[trace.line[i]];
    last[trace.line[i]] = static_cast<u32>(i);
  }
  return next;
}

class OptCache {
 public:
  OptCache(const LoopNest& nest, const LineMap& lines, CacheShape shape, bool outputs_read)
      : nest_(nest),
        room_(shape.lines()),
        line_words_(shape.line_words),
        outputs_read_(outputs_read),
        state_(lines.lines()),
        traffic_{std::vector<u64>(nest.arrays.size(), 0), std::vector<u64>(nest.arrays.size(), 0)} {}

  CacheTraffic run(const TouchTrace& trace) {
    const std::vector<u32> next = next_uses(trace, state_.size());
    for (std::size_t i = 0; i < trace.line.size(); ++i) {
      const NestAccess& access = nest_.accesses[i % trace.per_iteration];
      touch(trace.line[i], access, next[i], i / trace.per_iteration);
      if (queue_.size() > 4 * room_ + 64) drop_old_entries(i);
    }
    for (State& s : state_)
      if (s.resident && s.dirty) traffic_.stores[s.array] += line_words_;
    return traffic_;
  }

 private:
  struct State {
    u32 next = kNever;        // entry of the next use, while resident
    u64 iteration = ~u64{0};  // that touched it last
    u8 array = 0;
    bool resident = false, dirty = false, known = false;
  };
  struct Candidate {
    u32 next, line;
    bool operator<(const Candidate& other) const { return next < other.next; }
  };

  void touch(u32 line, const NestAccess& access, u32 next, u64 iteration) {
    State& s = state_[line];
    s.iteration = iteration;
    if (!s.resident) {
      s.array = static_cast<u8>(access.array);
      if (s.known || outputs_read_ || !nest_.arrays[at(access.array)].is_output)
        traffic_.loads[at(access.array)] += line_words_;
      if (held_ == room_) evict(iteration);
      s.resident = true;
      ++held_;
    }
    s.next = next;
    s.dirty = s.dirty || access.is_output;
    s.known = s.known || access.is_output;
    queue_.push({next, line});
  }

  // A candidate counts if the line is still there and still to be used then.
  void evict(u64 iteration) {
    std::vector<Candidate> in_use;
    while (!queue_.empty()) {
      const Candidate c = queue_.top();
      queue_.pop();
      State& s = state_[c.line];
      if (!s.resident || s.next != c.next) continue;
      if (s.iteration == iteration) {
        in_use.push_back(c);
        continue;
      }
      if (s.dirty) traffic_.stores[s.array] += line_words_;
      s.resident = s.dirty = false;
      --held_;
      break;
    }
    for (const Candidate& c : in_use) queue_.push(c);
  }

  // Entries of uses that are over stay below all others: without this the queue would grow with the trace.
  void drop_old_entries(std::size_t now) {
    std::vector<Candidate> left;
    while (!queue_.empty()) {
      const Candidate c = queue_.top();
      queue_.pop();
      if (c.next <= now) break;
      if (state_[c.line].resident && state_[c.line].next == c.next) left.push_back(c);
    }
    queue_ = std::priority_queue<Candidate>({}, std::move(left));
  }

  const LoopNest& nest_;
  u64 room_, held_ = 0;
  u32 line_words_;
  bool outputs_read_;
  std::vector<State> state_;  // [line]
  std::priority_queue<Candidate> queue_;
  CacheTraffic traffic_;
};

}  // namespace

CacheTraffic optimal_traffic(const LoopNest& nest, const LineMap& lines, CacheShape shape, const TouchTrace& trace,
                             bool outputs_read) {
  return OptCache(nest, lines, shape, outputs_read).run(trace);
}

}  // namespace heliolite
