#pragma once
// Orojenesis curves: the fewest accesses to a backing store that any mapping needs, for every size of the buffer in
// front of it; of one Einsum, and of networks whose layers may be fused (docs/orojenesis.md).
//
//   heliolite::Workload gemm = *heliolite::parse_einsum("o[i,j] += a[i,k]*b[k,j]; i=64,j=64,k=64");
//   auto curve = heliolite::access_curve(gemm);
//   for (const heliolite::CurvePoint& point : curve->points)
//     std::printf("%llu words: %llu accesses\n", (unsigned long long)point.buffer, (unsigned long long)point.accesses);
//   auto fused = heliolite::FusedNetwork::create(*heliolite::load_network("bert_base"));
#include <heliolite/workload.h>  // IWYU pragma: export
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heliolite::api {

struct FusedNetworkState;

// From this buffer on, up to the next point, as many accesses are the least.
struct CurvePoint {
  std::uint64_t buffer = 0, accesses = 0;
  std::string by;  // what says so: "nested" or "orojenesis", curves of mappings, or a bound of all executions (bound.h)
};

struct AccessCurve {
  std::string unit;                // of buffers and accesses: "words", or "bytes" or "bits" where tensors state sizes
  std::vector<CurvePoint> points;  // buffers ascend, accesses descend
  std::uint64_t minimum = 0;       // what any execution moves, however large the buffer
  std::uint64_t operands = 0;      // what all tensors take
};

struct CurveOptions {
  bool one_buffer = false;  // of mappings on one buffer that all tensors share; else on any number of levels
  bool imperfect = false;   // also over tiles that do not divide the sizes
  const std::atomic<bool>* stop = nullptr;  // when somebody sets it, there is no curve, with an error
};

// Errors: its tiles or loop orders are too many to search in minutes; somebody asked to stop; some tensors state the
// size of their words and others do not.
Result<AccessCurve> access_curve(const Workload& workload, const CurveOptions& options = {});

// Accesses of a network with a buffer: each layer by itself, and with the best cuts into fused segments.
struct FusedPoint {
  std::uint64_t buffer = 0;
  std::uint64_t unfused = 0, fused = 0;
};

// Layers that run together, their intermediates in the buffer.
struct FusedSegment {
  std::vector<std::string> layers;
  std::string kind;  // "alone", "untiled" (intermediates whole in the buffer) or "tiled"
  std::uint64_t buffer = 0, accesses = 0;
};

// A network whose curves are known. Copies share them.
class FusedNetwork {
 public:
  // `stop` as in CurveOptions. Errors as of access_curve().
  static Result<FusedNetwork> create(const Network& network, const std::atomic<bool>* stop = nullptr);

  std::string unit() const;  // of buffers and accesses
  // With buffers of these sizes; without sizes where one of the two falls.
  std::vector<FusedPoint> points(const std::vector<std::uint64_t>& buffers = {}) const;
  // The best cuts with this buffer, chain by chain.
  std::vector<FusedSegment> segments(std::uint64_t buffer) const;

 private:
  friend struct Inside;
  explicit FusedNetwork(std::shared_ptr<const FusedNetworkState> state) : state_(std::move(state)) {}
  std::shared_ptr<const FusedNetworkState> state_;
};

}  // namespace heliolite::api
