#include "engine/search/any/meeting.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

constexpr double kRoundedUp = 1 + 1e-9;

class MostMeeting {
 public:
  explicit MostMeeting(std::span<const MeetingRank> ranks) : ranks_(ranks) {}

  // The ranks from k on, with those before as chosen.
  double from(std::size_t k, double along_a, double along_b, double together) {
    if (k == ranks_.size()) return with_chosen(std::min(along_b, together));
    double best = 0;
    for (u64 a = 1; a <= ranks_[k].a && static_cast<double>(a) <= std::min(along_a, together); ++a) {
      a_[k] = static_cast<double>(a);
      best = std::max(best, from(k + 1, along_a / a_[k], along_b, together / a_[k]));
    }
    return best;
  }

 private:
  // The best B for the chosen A, of `units` together. The logarithm of A B / (A + B - 1) is concave in that of B, with
  // the slope (A - 1) / (A + B - 1), which is the same for all ranks where B = m (A - 1); ranks that have room for no
  // more take what they can.
  double with_chosen(double units) {
    std::array<bool, kMaxRanks> full{};
    double out = 1;
    for (bool again = true; again;) {
      again = false;
      int left = 0;
      double product = 1;
      for (std::size_t k = 0; k < ranks_.size(); ++k)
        if (!full[k] && a_[k] > 1) ++left, product *= a_[k] - 1;
      if (left == 0) break;
      const double m = std::pow(units / product, 1.0 / left);
      for (std::size_t k = 0; k < ranks_.size(); ++k) {
        if (full[k] || a_[k] == 1 || m * (a_[k] - 1) < static_cast<double>(ranks_[k].b)) continue;
        full[k] = again = true;
        out *= meeting(a_[k], static_cast<double>(ranks_[k].b));
        units /= static_cast<double>(ranks_[k].b);
      }
      if (again) continue;
      for (std::size_t k = 0; k < ranks_.size(); ++k)
        if (!full[k] && a_[k] > 1) out *= meeting(a_[k], m * (a_[k] - 1));
    }
    return out;
  }
  static double meeting(double a, double b) { return a * b / (a + b - 1); }

  std::span<const MeetingRank> ranks_;
  std::array<double, kMaxRanks> a_{};
};

}  // namespace

double most_meeting(std::span<const MeetingRank> ranks, double along_a, double along_b, double together) {
  double out = 1;
  std::array<MeetingRank, kMaxRanks> listed;
  std::size_t count = 0;
  for (const MeetingRank& rank : ranks)
    if (rank.a > kMostListed) out *= static_cast<double>(rank.a);
    else if (rank.a > 1) listed[count++] = rank;
  return out * MostMeeting(std::span(listed).first(count)).from(0, along_a, along_b, together) * kRoundedUp;
}

}  // namespace heliolite
