"""Building blocks of the convolutional network in mobile_cnn.py."""

from torch import nn


class ConvNorm(nn.Module):
    """Convolution, batch norm and an activation."""

    def __init__(self, inputs, outputs, kernel, stride=1, groups=1, act=nn.ReLU6):
        super().__init__()
        self.conv = nn.Conv2d(
            inputs, outputs, kernel, stride, padding=kernel // 2, groups=groups, bias=False
        )
        self.norm = nn.BatchNorm2d(outputs)
        self.act = act()

    def forward(self, x):
        x = self.conv(x)
        x = self.norm(x)
        return self.act(x)


class SqueezeExcite(nn.Module):
    """Scales each channel by a gate that is computed from the mean of all channels."""

    def __init__(self, channels, reduction=4):
        super().__init__()
        self.squeeze = nn.Conv2d(channels, channels // reduction, 1)
        self.excite = nn.Conv2d(channels // reduction, channels, 1)

    def forward(self, x):
        gate = x.mean(dim=(2, 3), keepdim=True)
        gate = self.squeeze(gate).relu()
        gate = self.excite(gate).sigmoid()
        return x * gate


class InvertedResidual(nn.Module):
    """Widens, filters each channel on its own, gates, and narrows again.

    The input is added to the result if both have the same shape.
    """

    def __init__(self, inputs, outputs, expand, kernel=3, stride=1, gated=False):
        super().__init__()
        wide = inputs * expand
        self.expand = ConvNorm(inputs, wide, 1)
        self.depthwise = ConvNorm(wide, wide, kernel, stride, groups=wide)
        self.gate = SqueezeExcite(wide) if gated else nn.Identity()
        self.project = ConvNorm(wide, outputs, 1, act=nn.Identity)
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x):
        y = self.expand(x)
        y = self.depthwise(y)
        y = self.gate(y)
        y = self.project(y)
        return x + y if self.residual else y
