#pragma once
// All extensions of a state by its next level, but for those that an instance, a bound or one of two rules closes:
// equal order and push-in (docs/rules/proof.md).
#include <functional>

#include "check_proof/bounds.h"

namespace check_proof {

class Extensions {
 public:
  // Called with each extension that is open; true ends the walk. Of the outermost level the state is finished.
  using Visit = std::function<bool(const State&, const Step&)>;

  Extensions(const Machine& machine, const Bounds& bounds, const State& parent, Visit visit);
  // Whether a visit ended the walk.
  bool run();

 private:
  bool unroll(int number);
  bool tiles(const State& unrolled, Inside& inside);
  bool orders(const State& unrolled);
  bool place(const State& s, Mask waiting, std::size_t prefix);
  bool complete(const State& s);
  Mask first_loops(const State& s, Mask waiting) const;
  void find_room();
  bool pushes_in(int d) const;

  const Machine& m_;
  const Bounds& bounds_;
  const Steps steps_;
  const State& parent_;
  const Visit visit_;
  const int level_;
  const Mask kept_;
  const i128 counted_;                              // of the parent
  std::array<std::vector<u64>, kDimensions> room_;  // primes that the tile inside has room for
  Extents factor_{};                                // of the loops that are placed
  Step step_;
};

}  // namespace check_proof
