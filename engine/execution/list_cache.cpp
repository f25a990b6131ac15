#include "engine/execution/list_cache.h"

#include <algorithm>

namespace heliolite {

ListCache::ListCache(const LoopNest& nest, const LineMap& lines, CacheShape shape, CachePolicy policy,
                     bool outputs_read)
    : room_(shape.ways == 0 ? shape.lines() : shape.ways),
      line_words_(shape.line_words),
      move_to_front_(policy == CachePolicy::Lru),
      line_(lines.lines()),
      sets_(shape.ways == 0 ? 1 : std::max<u64>(1, shape.lines() / shape.ways)),
      traffic_{std::vector<u64>(nest.arrays.size(), 0), std::vector<u64>(nest.arrays.size(), 0)} {
  for (std::size_t a = 0; a < nest.arrays.size(); ++a) {
    const MemoryArray& array = nest.arrays[a];
    const u32 first = lines.line(static_cast<int>(a), array.first);
    const u32 last = lines.line(static_cast<int>(a), array.first + array.words - 1);
    for (u32 line = first; line <= last; ++line) {
      line_[line].array = static_cast<u8>(a);
      line_[line].known = !array.is_output || outputs_read;
    }
  }
}

void ListCache::fetch(u32 line, int array) {
  if (line_[line].known) traffic_.loads[at(array)] += line_words_;
  Set& set = sets_[set_of(line)];
  if (set.lines == room_) evict(set.last);
  push_front(line);
  line_[line].resident = true;
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

}  // namespace heliolite
