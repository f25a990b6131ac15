#pragma once
// A sequence that grows at its end.
#include <cstddef>
#include <memory>
#include <vector>

namespace heliolite {

// Millions of elements, which stay where they are: none is copied when there is no room for more, and at most a block
// is held that nothing is in. T has a default constructor.
template <class T>
class Growing {
 public:
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return block_.size() * kBlock; }
  T& operator[](std::size_t i) { return block_[i / kBlock][i % kBlock]; }
  const T& operator[](std::size_t i) const { return block_[i / kBlock][i % kBlock]; }
  void push_back(const T& value) {
    const T copy = value;  // it may be an element
    if (size_ == capacity()) block_.push_back(std::make_unique_for_overwrite<T[]>(kBlock));
    (*this)[size_++] = copy;
  }

 private:
  static constexpr std::size_t kBlock = 4'096;

  std::vector<std::unique_ptr<T[]>> block_;
  std::size_t size_ = 0;
};

}  // namespace heliolite
