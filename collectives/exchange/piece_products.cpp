#include "collectives/exchange/piece_products.hpp"

#include <algorithm>

#include "collectives/plan/term_tree.hpp"
#include "collectives/plan/tree.hpp"
#include "runtime/simd.hpp"

namespace troupe {
namespace {

constexpr std::size_t kEach = 8;

/// The product of two floats is exact in double.
TROUPE_CLONES void add_products(const float* __restrict a, const float* __restrict b, std::size_t count,
                                double* __restrict lanes) {
  const std::size_t whole = count - count % kEach;
  for (std::size_t i = 0; i < whole; i += kEach)
    for (std::size_t lane = 0; lane < kEach; ++lane)
      lanes[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
  for (std::size_t i = whole; i < count; ++i) lanes[i - whole] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
}

/// Element by element, so that it does not matter where a range is cut.
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

TROUPE_CLONES void add_three_products(const float* __restrict a, const float* __restrict b0, const float* __restrict b1,
                                      const float* __restrict b2, std::size_t count, double* __restrict lanes0,
                                      double* __restrict lanes1, double* __restrict lanes2) {
  const std::size_t whole = count - count % kEach;
  for (std::size_t i = 0; i < whole; i += kEach)
    for (std::size_t lane = 0; lane < kEach; ++lane) {
      const auto value = static_cast<double>(a[i + lane]);
      lanes0[lane] += value * static_cast<double>(b0[i + lane]);
      lanes1[lane] += value * static_cast<double>(b1[i + lane]);
      lanes2[lane] += value * static_cast<double>(b2[i + lane]);
    }
  for (std::size_t i = whole; i < count; ++i) {
    const auto value = static_cast<double>(a[i]);
    lanes0[i - whole] += value * static_cast<double>(b0[i]);
    lanes1[i - whole] += value * static_cast<double>(b1[i]);
    lanes2[i - whole] += value * static_cast<double>(b2[i]);
  }
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

void PieceProducts::add_three(std::size_t which, std::size_t begin, std::size_t count, const float* a,
                              const std::array<const float*, 3>& b) {
  in_pieces(begin, count, [&](std::size_t piece, std::size_t offset, std::size_t floats) {
    add_three_products(a + offset, b[0] + offset, b[1] + offset, b[2] + offset, floats, at(piece, which).data(),
                       at(piece, which + 1).data(), at(piece, which + 2).data());
  });
}

void PieceProducts::add_square(std::size_t which, std::size_t begin, std::size_t count, double factor, const float* a) {
  in_pieces(begin, count, [&](std::size_t piece, std::size_t offset, std::size_t floats) {
    Lanes& lanes = at(piece, which);
    std::size_t done = 0;
    for (; done < floats && (begin + offset + done) % kLanes != 0; ++done)  // groups of parameters begin anywhere
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
  // Of a small vector the last pieces are empty, and nobody's.
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
