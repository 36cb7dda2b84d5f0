#pragma once

#include <array>

// Made by pytorch_adamw.py.
namespace troupe::testing {

/// One group of twelve: rate 0.05, weight decay 0.1.
inline constexpr std::array<float, 12> kPytorchAdamW{
    -0x1.b5e7aa0000000p+0F, 0x1.8daa3a0000000p+0F,  0x1.4a94e80000000p+0F,  0x1.7f1c360000000p-1F,
    0x1.0dd0e20000000p-1F,  0x1.c7a3b60000000p-5F,  -0x1.3612860000000p-4F, -0x1.d84e4e0000000p-2F,
    -0x1.0500bc0000000p+0F, -0x1.46bd0c0000000p+0F, -0x1.d1867c0000000p+0F, 0x1.c417c60000000p+0F};
/// The last four are biases: half the rate, no decay.
inline constexpr std::array<float, 12> kPytorchGroups{
    -0x1.b5e7aa0000000p+0F, 0x1.8daa3a0000000p+0F,  0x1.4a94e80000000p+0F,  0x1.7f1c360000000p-1F,
    0x1.0dd0e20000000p-1F,  0x1.c7a3b60000000p-5F,  -0x1.3612860000000p-4F, -0x1.d84e4e0000000p-2F,
    -0x1.090e940000000p+0F, -0x1.5bbe440000000p+0F, -0x1.d457a40000000p+0F, 0x1.dddd780000000p+0F};
/// The same with gradients clipped to a norm of 2.
inline constexpr std::array<float, 12> kPytorchClipped{
    -0x1.b59b600000000p+0F, 0x1.8db2360000000p+0F,  0x1.4a429e0000000p+0F,  0x1.7fcca80000000p-1F,
    0x1.0c27180000000p-1F,  0x1.e3c64c0000000p-5F,  -0x1.3c7f460000000p-4F, -0x1.d79bcc0000000p-2F,
    -0x1.08f49c0000000p+0F, -0x1.5bfaba0000000p+0F, -0x1.d428dc0000000p+0F, 0x1.dd74e60000000p+0F};

}  // namespace troupe::testing
