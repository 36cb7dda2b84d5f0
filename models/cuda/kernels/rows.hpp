#pragma once

#include "models/cuda/kernels/dispatch.hpp"

namespace troupe::cuda {

/// A matrix [rows][channels] for kernels that need a few numbers of each channel, such as a bias. Each index of a
/// kernel processes one pack of channels in four rows, which are `groups` rows apart. So the index loads the numbers of
/// its channels once for four rows.
struct RowGroups {
  std::size_t rows;
  std::size_t groups;
  std::uint32_t channels;
  std::uint32_t packs;  ///< number of packs of channels in a row

  RowGroups(std::int64_t the_rows, std::int64_t the_channels, int pack)
      : rows(static_cast<std::size_t>(the_rows)),
        groups(divide_up(rows, kRowsOfIndex)),
        channels(static_cast<std::uint32_t>(the_channels)),
        packs(channels / static_cast<std::uint32_t>(pack)) {}

  std::size_t indices() const { return groups * packs; }

 private:
  static constexpr std::size_t kRowsOfIndex = 4;
};

}  // namespace troupe::cuda
