#include "engine/execution/list_cache.h"

#include <algorithm>

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
  if (kind == TouchKind::Read || (kind == TouchKind::Update && l.known)) traffic_.loads[at(array)] += line_words_;
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

}  // namespace heliolite
