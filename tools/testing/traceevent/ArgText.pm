# SPDX-License-Identifier: GPL-2.0
#
# Reads arguments from their text again

package ArgText;

use strict;
use warnings;
use parent 'Exporter';

our @EXPORT = qw(split_args);

# "a=1, b={.x=1, .y=2}" without its parentheses, to what is between the commas
sub split_args {
	my ($text) = @_;
	my @args;

	while ($text =~ /\G((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(\{(?:[^{}"']|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?2))*\})|\([^()]*\)|[^,"'{(])+)(?:, )?/g) {
		push(@args, $1);
	}
	return @args;
}

1;
