#include "engine/execution/caches.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <queue>
#include <utility>

namespace heliolite {

ListCache::ListCache(const LineMap& lines, CacheShape shape, CachePolicy policy, bool values)
    : room_(shape.ways == 0 ? shape.lines() : shape.ways),
      line_words_(shape.line_words),
      move_to_front_(policy == CachePolicy::Lru),
      line_(lines.lines()),
      sets_(shape.ways == 0 ? 1 : std::max<u64>(1, shape.lines() / shape.ways)),
      traffic_(lines.arrays()) {
  if (values)
    for (Line& line : line_) line.known = true;
}

void ListCache::fetch(u32 line, int array, TouchKind kind) {
  Line& l = line_[line];
  if (kind == TouchKind::Read || (kind == TouchKind::Update && l.known)) traffic_.loads[array] += line_words_;
  Set& set = sets_[set_of(line)];
  if (set.lines == room_) evict(set.last);
  push_front(line);
  l.array = static_cast<u8>(array);
  l.resident = true;
  ++set.lines;
}

void ListCache::evict(u32 line) {
  Line& l = line_[line];
  if (l.dirty) traffic_.stores[l.array] += line_words_;
  unlink(line);
  l.resident = l.dirty = false;
  --sets_[set_of(line)].lines;
}

void ListCache::unlink(u32 line) {
  Line& l = line_[line];
  Set& set = sets_[set_of(line)];
  (l.before == kNone ? set.first : line_[l.before].after) = l.after;
  (l.after == kNone ? set.last : line_[l.after].before) = l.before;
}

void ListCache::push_front(u32 line) {
  Set& set = sets_[set_of(line)];
  line_[line].before = kNone;
  line_[line].after = set.first;
  (set.first == kNone ? set.last : line_[set.first].before) = line;
  set.first = line;
}

void ListCache::flush() {
  for (Set& set : sets_)
    while (set.last != kNone) evict(set.last);
}

namespace {

constexpr u32 kNever = ~u32{0};

// [entry of the trace]: the next entry with the same line.
std::vector<u32> next_uses(std::span<const Touch> trace, u64 lines) {
  std::vector<u32> last(lines, kNever), next(trace.size());
  for (std::size_t i = trace.size(); i-- > 0;) {
    next[i] = last[trace[i].line];
    last[trace[i].line] = static_cast<u32>(i);
  }
  return next;
}

class OptCache {
 public:
  OptCache(const LineMap& lines, CacheShape shape, bool values)
      : room_(shape.lines()),
        line_words_(shape.line_words),
        values_(values),
        state_(lines.lines()),
        traffic_(lines.arrays()) {}

  CacheTraffic run(std::span<const Touch> trace) {
    const std::vector<u32> next = next_uses(trace, state_.size());
    u64 iteration = 0;
    for (std::size_t i = 0; i < trace.size(); ++i) {
      touch(trace[i], next[i], iteration);
      if (trace[i].last) ++iteration;
      if (queue_.size() > 4 * room_ + 64) drop_old_entries(i);
    }
    for (const State& s : state_)
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

  void touch(const Touch& t, u32 next, u64 iteration) {
    State& s = state_[t.line];
    s.iteration = iteration;
    if (!s.resident) {
      s.array = t.array;
      if (t.kind == TouchKind::Read || (t.kind == TouchKind::Update && (s.known || values_)))
        traffic_.loads[s.array] += line_words_;
      if (held_ == room_) evict(iteration);
      s.resident = true;
      ++held_;
    }
    s.next = next;
    if (t.kind != TouchKind::Read) s.dirty = s.known = true;
    queue_.push({next, t.line});
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

  u64 room_, held_ = 0;
  u32 line_words_;
  bool values_;
  std::vector<State> state_;  // [line]
  std::priority_queue<Candidate> queue_;
  CacheTraffic traffic_;
};

// What the cache moves when, among the lines that the present iteration does not touch, the one leaves that is used
// again last. No order of leaving has fewer loads as long as all operands of an iteration must be in the cache
// together, for which it must have room. `trace`: all touches in order, fewer than 2^32 - 1; `values` as in ListCache.
CacheTraffic optimal_traffic(const LineMap& lines, CacheShape shape, std::span<const Touch> trace, bool values) {
  return OptCache(lines, shape, values).run(trace);
}

}  // namespace

Diagnostics check_caches(std::span<const SimulatedCache> caches, std::size_t operands, double touches,
                         SimulationLimits limits) {
  Diagnostics errors;
  const auto complain = [&](std::string field, std::string message) {
    errors.push_back({"", 0, std::move(field), std::move(message)});
  };
  if (touches > static_cast<double>(limits.touches))
    complain("execution", fmt::format("{:.3g} touches of words are too many to be executed; at most {:.3g}", touches,
                                      static_cast<double>(limits.touches)));
  for (const SimulatedCache& cache : caches) {
    const CacheShape& shape = cache.shape;
    const std::string field = fmt::format("cache of {} words", shape.capacity_words);
    if (cache.policy == CachePolicy::Scratchpad) {
      if (shape.line_words != 1 || shape.ways != 0) complain(field, "a scratchpad has neither lines nor ways");
      continue;
    }
    if (shape.line_words == 0 || shape.lines() < operands)
      complain(field, fmt::format("holds {} lines of {} words; one iteration needs {}",
                                  shape.line_words == 0 ? 0 : shape.lines(), shape.line_words, operands));
    if (shape.ways != 0 && (cache.policy == CachePolicy::Opt || shape.lines() % shape.ways != 0))
      complain(field, cache.policy == CachePolicy::Opt
                          ? std::string("opt is fully associative: it has no ways")
                          : fmt::format("{} lines do not make sets of {} ways", shape.lines(), shape.ways));
    if (cache.policy == CachePolicy::Opt && touches > static_cast<double>(limits.opt_touches))
      complain(field, fmt::format("opt remembers every touch: {:.3g} are too many, at most {:.3g}; lru and fifo have "
                                  "room for more",
                                  touches, static_cast<double>(limits.opt_touches)));
  }
  return errors;
}

CacheBank::CacheBank(std::span<const MemoryArray> arrays, std::span<const SimulatedCache> caches, bool values)
    : arrays_(arrays.begin(), arrays.end()), caches_(caches.begin(), caches.end()), values_(values) {
  for (const SimulatedCache& cache : caches_) {
    if (cache.policy == CachePolicy::Scratchpad) continue;
    Lines& lines = of_size(cache.shape.line_words);
    if (cache.policy == CachePolicy::Opt) lines.recorded = true;
    else lines.caches.emplace_back(lines.map, cache.shape, cache.policy, values);
  }
}

void CacheBank::touch(int array, u64 word, TouchKind kind, bool last) {
  for (auto& [size, lines] : lines_) {
    const u32 line = lines->map.line(array, word);
    if (lines->recorded) lines->trace.push_back({line, static_cast<u8>(array), kind, last});
    for (ListCache& cache : lines->caches) cache.touch(line, array, kind);
  }
}

std::vector<CacheTraffic> CacheBank::answers() {
  std::vector<CacheTraffic> answers;
  std::map<u32, std::size_t> next;
  for (const SimulatedCache& cache : caches_) {
    if (cache.policy == CachePolicy::Scratchpad) {
      answers.emplace_back(arrays_.size());
      continue;
    }
    Lines& lines = of_size(cache.shape.line_words);
    if (cache.policy == CachePolicy::Opt) {
      answers.push_back(optimal_traffic(lines.map, cache.shape, lines.trace, values_));
      continue;
    }
    ListCache& listed = lines.caches[next[cache.shape.line_words]++];
    listed.flush();
    answers.push_back(listed.traffic());
  }
  return answers;
}

CacheBank::Lines& CacheBank::of_size(u32 words) {
  std::unique_ptr<Lines>& lines = lines_[words];
  if (!lines) lines = std::make_unique<Lines>(arrays_, words);
  return *lines;
}

}  // namespace heliolite
