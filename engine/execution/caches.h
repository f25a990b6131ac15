#pragma once
// Caches that an execution goes through: what goes in and out of one, its lines, and its policies of replacement.
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/base/named.h"
#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/bounds/lower_bounds.h"
#include "engine/execution/loop_nest.h"

namespace heliolite {

// What goes in and out of a cache while a nest is executed.

enum class CachePolicy : u8 {
  Lru,         // what was used longest ago leaves
  Fifo,        // what came first leaves
  Opt,         // what is used again last leaves (Belady, A study of replacement algorithms, 1966)
  Scratchpad,  // no cache: boxes of the tiling are loaded and stored as its tiles change
};

// What one touch does to a word.
enum class TouchKind : u8 {
  Read,
  Write,   // whatever it was before: nothing need be loaded
  Update,  // read, unless nothing was written there yet and it does not start with a value, and written
};

// A cache. Lines of more than one word load and store whole lines; arrays begin on a line of their own.
struct CacheShape {
  u64 capacity_words = 0;
  u32 line_words = 1;
  u32 ways = 0;  // lines that a line may take; 0: any of the cache

  u64 lines() const { return capacity_words / line_words; }
};

// Words that cross the outer boundary of the cache, by array.
struct CacheTraffic {
  explicit CacheTraffic(std::size_t arrays = 0) : loads(arrays, 0), stores(arrays, 0) {}

  std::vector<u64> loads;
  std::vector<u64> stores;  // stores of lines that were written, when they leave and at the end

  u64 all_loads() const { return sum_of<u64>(loads); }
  u64 all_stores() const { return sum_of<u64>(stores); }
  // What a bound by this rule is held against.
  u64 words(TrafficRule rule) const { return all_loads() + (rule.stores ? all_stores() : 0); }
};

// The lines of memory that arrays take: array after array, each beginning on a line of its own.

class LineMap {
 public:
  LineMap(std::span<const MemoryArray> arrays, u32 line_words) : line_words_(line_words) {
    for (const MemoryArray& array : arrays) {
      first_word_.push_back(array.first);
      first_line_.push_back(lines_);
      lines_ += ceil_div(array.words, u64{line_words});
    }
  }

  // The line of a word (as MemoryArray::first numbers them) of this array.
  u32 line(int array, u64 word) const {
    const u64 element = word - first_word_[array];
    return static_cast<u32>(first_line_[array] + (line_words_ == 1 ? element : element / line_words_));
  }
  u64 lines() const { return lines_; }
  std::size_t arrays() const { return first_line_.size(); }
  u32 line_words() const { return line_words_; }

 private:
  u32 line_words_;
  u64 lines_ = 0;
  std::vector<u64> first_word_, first_line_;  // [array]
};

// A cache with least-recently-used or first-in-first-out replacement, fully associative or in sets.

// Lines of a set stand in a list, the one that leaves next at its end.
class ListCache {
 public:
  // The cache has lines() / `ways` sets, at least one. `values`: what is updated starts with values, which the
  // first touch loads, otherwise as zeros that need no load.
  ListCache(const LineMap& lines, CacheShape shape, CachePolicy policy, bool values);

  // Lines of one iteration are in the cache together if a set has room for them, which LRU sees to by itself.
  void touch(u32 line, int array, TouchKind kind) {
    Line& l = line_[line];
    if (!l.resident) {
      fetch(line, array, kind);
    } else if (move_to_front_ && sets_[set_of(line)].first != line) {
      unlink(line);
      push_front(line);
    }
    if (kind == TouchKind::Read) return;
    l.dirty = l.known = true;
  }

  // Stores what is still to be stored; the cache is empty afterwards.
  void flush();
  const CacheTraffic& traffic() const { return traffic_; }

 private:
  static constexpr u32 kNone = ~u32{0};
  struct Line {
    u32 before = kNone, after = kNone;
    u8 array = 0;
    bool resident = false, dirty = false;
    bool known = false;  // an update finds a value
  };
  struct Set {
    u32 first = kNone, last = kNone;
    u64 lines = 0;
  };

  std::size_t set_of(u32 line) const { return sets_.size() == 1 ? 0 : line % sets_.size(); }
  void fetch(u32 line, int array, TouchKind kind);
  void evict(u32 line);
  void unlink(u32 line);
  void push_front(u32 line);

  u64 room_;  // lines of a set
  u32 line_words_;
  bool move_to_front_;
  std::vector<Line> line_;
  std::vector<Set> sets_;
  CacheTraffic traffic_;
};

// A fully associative cache that knows the future: Belady, A study of replacement algorithms, 1966.

// One touch of an execution.
struct Touch {
  u32 line = 0;
  u8 array = 0;
  TouchKind kind = TouchKind::Read;
  bool last = false;  // of its iteration
};

// Caches of many shapes that see the same touches go by.

constexpr ValueNames<4> value_names(CachePolicy) { return {"lru", "fifo", "opt", "scratchpad"}; }

// A cache that sees every touch; caches of one simulation know nothing of each other.
struct SimulatedCache {
  CacheShape shape;
  CachePolicy policy = CachePolicy::Lru;
  u8 level = 1;  // of a scratchpad: the loops that run over its tiles (BoxLoop::level), and those outside
};

// Refused beyond these, so that nobody waits for an answer that needs days or all of the machine's memory.
struct SimulationLimits {
  u64 touches = 4'000'000'000;    // words touched by all iterations
  u64 opt_touches = 200'000'000;  // for CachePolicy::Opt, which remembers each in 8 bytes
  u64 words = 1'000'000'000;      // words of all arrays
};

// Why these caches cannot be simulated; empty if they can. `operands`: the most words that one iteration touches;
// `touches`: of all iterations. The field says which cache or limit.
Diagnostics check_caches(std::span<const SimulatedCache> caches, std::size_t operands, double touches,
                         SimulationLimits limits);

// The caches of one execution, but for scratchpads, which follow tiles and not touches.
class CacheBank {
 public:
  // `values`: what is updated starts with values to be read, otherwise as zeros that need no load.
  CacheBank(std::span<const MemoryArray> arrays, std::span<const SimulatedCache> caches, bool values);

  // The word of this array, numbered as MemoryArray::first does. `last`: no other touch of the iteration follows.
  void touch(int array, u64 word, TouchKind kind, bool last);

  // [cache]: what it moved, once all is over; of scratchpads nothing.
  std::vector<CacheTraffic> answers();
  std::span<const SimulatedCache> caches() const { return caches_; }

 private:
  // Caches with lines of one size.
  struct Lines {
    Lines(std::span<const MemoryArray> arrays, u32 words) : map(arrays, words) {}

    LineMap map;
    std::vector<ListCache> caches;
    bool recorded = false;
    std::vector<Touch> trace;
  };
  Lines& of_size(u32 words);

  std::vector<MemoryArray> arrays_;
  std::vector<SimulatedCache> caches_;
  bool values_;
  std::map<u32, std::unique_ptr<Lines>> lines_;
};

}  // namespace heliolite
