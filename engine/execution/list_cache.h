#pragma once
// A cache with least-recently-used or first-in-first-out replacement, fully associative or in sets.
#include <vector>

#include "engine/execution/cache_traffic.h"
#include "engine/execution/line_map.h"

namespace heliolite {

// Lines of a set stand in a list, the one that leaves next at its end.
class ListCache {
 public:
  // Of `ways` the cache has lines() / ways sets, at least one. `values`: what is updated starts with values, which the
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

}  // namespace heliolite
