#pragma once
// A picture as a coarse grid of average colours, for tests of what one sees: it does not change with the smoothing of
// letters and lines, and does with a chart that is gone, a colour, a box that moved.
#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "engine/base/integers.h"

namespace heliolite {

struct Picture {
  std::size_t width = 0, height = 0;
  std::vector<u8> rgb;  // rows from the top, three bytes a pixel
};

// Of a PNG with 8 bits a channel, RGB or RGBA, not interlaced, as browsers write them; empty if it is none.
inline Picture png_picture(const std::string& file) {
  const auto word = [&](std::size_t i) {
    u64 value = 0;
    for (std::size_t k = 0; k < 4; ++k) value = value << 8 | static_cast<u8>(file[i + k]);
    return value;
  };
  if (file.size() < 33 || file.substr(1, 3) != "PNG" || file[24] != 8 || (file[25] != 2 && file[25] != 6)) return {};
  Picture picture{word(16), word(20), {}};
  const std::size_t bytes = file[25] == 6 ? 4 : 3, line = picture.width * bytes;
  std::string packed;
  for (std::size_t at = 8; at + 12 <= file.size(); at += 12 + word(at))
    if (file.substr(at + 4, 4) == "IDAT") packed += file.substr(at + 8, word(at));
  std::vector<u8> raw(picture.height * (line + 1));
  uLongf length = raw.size();
  if (uncompress(raw.data(), &length, reinterpret_cast<const Bytef*>(packed.data()), packed.size()) != Z_OK) return {};
  std::vector<u8> above(line, 0), row(line);
  for (std::size_t y = 0; y < picture.height; ++y) {
    const u8* from = &raw[y * (line + 1)];
    for (std::size_t i = 0; i < line; ++i) {
      const int left = i >= bytes ? row[i - bytes] : 0, up = above[i], corner = i >= bytes ? above[i - bytes] : 0;
      const int guess = left + up - corner, a = std::abs(guess - left), b = std::abs(guess - up),
                c = std::abs(guess - corner);
      const int paeth = a <= b && a <= c ? left : b <= c ? up : corner;
      const std::array<int, 5> predicted{0, left, up, (left + up) / 2, paeth};
      row[i] = static_cast<u8>(from[1 + i] + predicted[from[0] % 5]);
    }
    for (std::size_t x = 0; x < picture.width; ++x)
      for (std::size_t k = 0; k < 3; ++k) picture.rgb.push_back(row[x * bytes + k]);
    above = row;
  }
  return picture;
}

inline constexpr std::size_t kBlock = 40;  // pixels of a block's side

// A line for each row of blocks: the average of each as "rrggbb".
inline std::string blocks_text(const Picture& picture) {
  std::string text;
  for (std::size_t top = 0; top + kBlock <= picture.height; top += kBlock) {
    for (std::size_t left = 0; left + kBlock <= picture.width; left += kBlock) {
      for (std::size_t k = 0; k < 3; ++k) {
        u64 sum = 0;
        for (std::size_t y = top; y < top + kBlock; ++y)
          for (std::size_t x = left; x < left + kBlock; ++x) sum += picture.rgb[(y * picture.width + x) * 3 + k];
        constexpr const char* kDigits = "0123456789abcdef";
        const u64 average = sum / (kBlock * kBlock);
        text += {kDigits[average / 16], kDigits[average % 16]};
      }
      text += left + 2 * kBlock <= picture.width ? " " : "\n";
    }
  }
  return text;
}

// The share of blocks that differ by more than `tolerance` of 255 in some channel; 1 if
// the pictures have other sizes.
inline double differing_blocks(const std::string& blocks, const std::string& reference, int tolerance) {
  const auto rows = [](const std::string& text) {
    std::vector<std::vector<u64>> out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      out.emplace_back();
      for (std::string word; words >> word;) out.back().push_back(std::stoull(word, nullptr, 16));
    }
    return out;
  };
  const auto a = rows(blocks), b = rows(reference);
  if (a.size() != b.size() || a.empty() || a[0].size() != b[0].size()) return 1;
  const auto far = [&](u64 x, u64 y) {
    for (int shift : {0, 8, 16})
      if (std::abs(static_cast<int>(x >> shift & 255) - static_cast<int>(y >> shift & 255)) > tolerance) return true;
    return false;
  };
  std::size_t differ = 0;
  for (std::size_t y = 0; y < a.size(); ++y)
    for (std::size_t x = 0; x < a[y].size(); ++x) differ += far(a[y][x], b[y][x]);
  return static_cast<double>(differ) / static_cast<double>(a.size() * a[0].size());
}

}  // namespace heliolite
