#include "collectives/exchange/piece_products.hpp"

#include <algorithm>
#include <cstring>

#include "collectives/plan/term_tree.hpp"
#include "collectives/plan/tree.hpp"
#include "runtime/processes/memory.hpp"
#include "runtime/simd.hpp"

namespace troupe {
namespace {

constexpr std::size_t kEach = 8;

/// Adds the products a[i] * b[i] of `count` pairs of floats to the eight partial sums at `lanes`: product i to partial
/// sum i modulo 8. The product of two floats is exact as a double.
TROUPE_CLONES void add_products(const float* __restrict a, const float* __restrict b, std::size_t count,
                                double* __restrict lanes) {
  const std::size_t whole = count - count % kEach;
  for (std::size_t i = 0; i < whole; i += kEach)
    for (std::size_t lane = 0; lane < kEach; ++lane)
      lanes[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
  for (std::size_t i = whole; i < count; ++i) lanes[i - whole] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
}

/// Adds `factor` times the squares of `count` floats to the eight partial sums at `lanes`. Element i is added to
/// partial sum i modulo 8.
TROUPE_CLONES void add_squares(const float* __restrict a, std::size_t count, double factor, double* __restrict lanes) {
  const std::size_t whole = count - count % kEach;
  for (std::size_t i = 0; i < whole; i += kEach)
    for (std::size_t lane = 0; lane < kEach; ++lane) {
      const auto value = static_cast<double>(a[i + lane]);
      lanes[lane] += factor * (value * value);
    }
  for (std::size_t i = whole; i < count; ++i) {
    const auto value = static_cast<double>(a[i]);
    lanes[i - whole] += factor * (value * value);
  }
}

constexpr std::size_t kRows = 3;

/// Adds the products of two columns (a, b) with three rows (r0, r1, r2) to the partial sums at `lanes`: eight partial
/// sums for each of the six dot products. Prefetches the columns' next floats, which halves the time, because hardware
/// prefetchers cannot follow this many streams. The inner loop is over the eight partial sums, because g++ vectorizes
/// only this form.
TROUPE_CLONES void add_two_columns(const float* __restrict a, const float* __restrict b, const double* __restrict r0,
                                   const double* __restrict r1, const double* __restrict r2, std::size_t count,
                                   double* __restrict lanes, const float* next_a, const float* next_b) {
  double sums[2 * kRows][kEach];
  std::memcpy(sums, lanes, sizeof sums);
  for (std::size_t i = 0; i < count; i += kEach) {
    if (i % kLineFloats == 0) {
      __builtin_prefetch(next_a + i);
      __builtin_prefetch(next_b + i);
    }
    for (std::size_t lane = 0; lane < kEach; ++lane) {
      const auto va = static_cast<double>(a[i + lane]);
      const auto vb = static_cast<double>(b[i + lane]);
      sums[0][lane] += va * r0[i + lane];
      sums[1][lane] += va * r1[i + lane];
      sums[2][lane] += va * r2[i + lane];
      sums[3][lane] += vb * r0[i + lane];
      sums[4][lane] += vb * r1[i + lane];
      sums[5][lane] += vb * r2[i + lane];
    }
  }
  std::memcpy(lanes, sums, sizeof sums);
}

TROUPE_CLONES void add_wide_products(const float* __restrict a, const double* __restrict row, std::size_t count,
                                     double* __restrict lanes) {
  const std::size_t whole = count - count % kEach;
  for (std::size_t i = 0; i < whole; i += kEach)
    for (std::size_t lane = 0; lane < kEach; ++lane) lanes[lane] += static_cast<double>(a[i + lane]) * row[i + lane];
  for (std::size_t i = whole; i < count; ++i) lanes[i - whole] += static_cast<double>(a[i]) * row[i];
}

}  // namespace

Range pieces_of(std::size_t size, const Range& slice) {
  if (slice.empty()) return {};
  const std::vector<Range> all = vector_pieces(size);
  const auto first = std::ranges::find_if(all, [&](const Range& piece) { return piece.end > slice.begin; });
  const auto last = std::find_if(first, all.end(), [&](const Range& piece) { return piece.end >= slice.end; });
  return {static_cast<std::size_t>(first - all.begin()), static_cast<std::size_t>(last - all.begin()) + 1};
}

PieceProducts::PieceProducts(std::size_t size, const Range& slice, std::size_t products, std::size_t end)
    : products_(products), end_(end) {
  const std::vector<Range> all = vector_pieces(size);
  const Range own = pieces_of(size, slice);
  pieces_.assign(all.begin() + static_cast<std::ptrdiff_t>(own.begin),
                 all.begin() + static_cast<std::ptrdiff_t>(own.end));
  lanes_.resize(pieces_.size() * products);
}

template <class Use>
void PieceProducts::in_pieces(std::size_t begin, std::size_t count, const Use& use) {
  const std::size_t end = std::min(begin + count, end_);
  auto piece = std::ranges::upper_bound(pieces_, begin, {}, &Range::end);
  for (std::size_t from = begin; from < end; ++piece) {
    const std::size_t to = std::min(end, piece->end);
    use(static_cast<std::size_t>(piece - pieces_.begin()), from - begin, to - from);
    from = to;
  }
}

void PieceProducts::add(std::size_t which, std::size_t begin, std::size_t count, const float* a, const float* b) {
  in_pieces(begin, count, [&](std::size_t piece, std::size_t offset, std::size_t floats) {
    add_products(a + offset, b + offset, floats, at(piece, which).data());
  });
}

void PieceProducts::add_table(std::size_t begin, std::size_t count, std::span<const double* const> rows,
                              std::span<const float* const> columns, std::span<const float* const> next) {
  in_pieces(begin, count, [&](std::size_t piece, std::size_t from, std::size_t floats) {
    std::size_t column = 0;
    if (rows.size() == kRows && floats % kEach == 0)
      for (; column + 1 < columns.size(); column += 2)
        add_two_columns(columns[column] + from, columns[column + 1] + from, rows[0] + from, rows[1] + from,
                        rows[2] + from, floats, at(piece, column * kRows).data(), next[column] + from,
                        next[column + 1] + from);
    for (; column < columns.size(); ++column)
      for (std::size_t row = 0; row < rows.size(); ++row)
        add_wide_products(columns[column] + from, rows[row] + from, floats,
                          at(piece, column * rows.size() + row).data());
  });
}

void PieceProducts::add_square(std::size_t which, std::size_t begin, std::size_t count, double factor, const float* a) {
  in_pieces(begin, count, [&](std::size_t piece, std::size_t offset, std::size_t floats) {
    Lanes& lanes = at(piece, which);
    std::size_t done = 0;
    for (; done < floats && (begin + offset + done) % kLanes != 0;
         ++done)  // `begin` may be any index, because groups of tensors begin anywhere
      add_squares(a + offset + done, 1, factor, &lanes[(begin + offset + done) % kLanes]);
    add_squares(a + offset + done, floats - done, factor, lanes.data());
  });
}

std::vector<double> PieceProducts::sums(std::size_t which) const {
  std::vector<double> all;
  for (std::size_t piece = 0; piece < pieces_.size(); ++piece)
    all.push_back(tree_sum(lanes_[piece * products_ + which]));
  return all;
}

std::size_t piece_subtrees(const Range& pieces) {
  return pieces.empty() ? 0 : complete_subtrees(kPieces, pieces.begin, pieces.end).size();
}

std::vector<double> piece_subtree_sums(const Range& pieces, std::span<const double> sums) {
  std::vector<double> all;
  if (pieces.empty()) return all;
  for (const Range& subtree : complete_subtrees(kPieces, pieces.begin, pieces.end))
    all.push_back(tree_sum(sums.subspan(subtree.begin - pieces.begin, subtree.size())));
  return all;
}

double sum_of_pieces(std::span<const Range> pieces, std::span<const double> sums) {
  std::vector<Range> terms;
  for (const Range& own : pieces)
    for (const Range& subtree : complete_subtrees(kPieces, own.begin, own.end)) terms.push_back(subtree);
  // The last pieces of a small vector are empty and belong to no owner. The sums of these pieces are 0.
  std::vector<double> all(sums.begin(), sums.end());
  const std::size_t end = terms.empty() ? 0 : terms.back().end;
  if (end < kPieces)
    for (const Range& subtree : complete_subtrees(kPieces, end, kPieces)) {
      terms.push_back(subtree);
      all.push_back(0);
    }
  return TermTree(kPieces, terms).sum(all);
}

}  // namespace troupe
